/// A position in a journal at which a record may begin.
package struct JournalPosition: Sendable, Hashable {
    package var generation: UInt64
    /// The offset from the start of the file, a multiple of 8.
    package var offset: Int
    /// The checksum of the previous record; for the first record, the generation.
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
