/// A place in a journal where a record may begin.
package struct JournalPosition: Sendable, Hashable {
    package var generation: UInt64
    /// From the start of the file: a multiple of 8.
    package var offset: Int
    /// The checksum of the record before; before the first record, the generation.
    package var chain: UInt64

    package init(generation: UInt64, offset: Int, chain: UInt64) {
        self.generation = generation
        self.offset = offset
        self.chain = chain
    }

    package static func start(of generation: UInt64) -> JournalPosition {
        JournalPosition(generation: generation, offset: JournalHeader.size, chain: generation)
    }
}
