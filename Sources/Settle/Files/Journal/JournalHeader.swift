/// The first bytes of a journal. All numbers are little-endian.
///
///      0  magic               8 bytes: "Settle", 0xF5 (in no text), a line feed (lost where line ends are converted)
///      8  version             u32
///     12  checksum            u32, of the 136 bytes with zeros here
///     16  generation          u64, random, never 0
///     24  previousGeneration  u64, 0 if there was none
///     32  previousEnd         u64
///     40  history             u64, never 0
///     48  position            u64: how many transactions the file had had when this journal was begun
///     56  checksum            u64 of the record with the last of them
///     64  base                u64: where the record with all values begins
///     72  position            u64: how many transactions the file had had before those of the history records
///     80  checksum            u64 of the record with the last of them
///     88  resets              u32, of the lineage
///     92  restarts            u32, of the lineage
///     96  start               generation u64 of the newest journal that was begun where there was none
///    104  position            u64: how many transactions the file had had then
///    112  checksum            u64 of the record with the last of them
///    120  origin              hash u64, size u64 of the file with which the history began
///    136  the first record: a history record, or the one with all values
///
/// Magic, version and checksum keep their offsets in all later versions, so that a later version can be distinguished
/// from damage. The header fits in one disk sector, so it is written as a whole or not at all.
package struct JournalHeader: Sendable, Equatable {
    package static let size = 136
    package static let version: UInt32 = 3
    static let generationOffset = 16

    package var generation: UInt64
    package var previousGeneration: UInt64
    /// The end of the previous generation's records.
    package var previousEnd: UInt64
    /// The token of the file's history at the beginning.
    package var beginning: ChangeToken
    /// The token before the history records.
    package var oldest: ChangeToken
    package var lineage: JournalLineage
    /// The offset of the record with all values, after the history records.
    package var base: UInt64

    package init(
        generation: UInt64, previousGeneration: UInt64 = 0, previousEnd: UInt64 = 0, beginning: ChangeToken,
        oldest: ChangeToken? = nil, lineage: JournalLineage = JournalLineage(),
        base: UInt64 = UInt64(JournalHeader.size)
    ) {
        self.base = base
        self.oldest = oldest ?? beginning
        self.lineage = lineage
        self.generation = generation
        self.previousGeneration = previousGeneration
        self.previousEnd = previousEnd
        self.beginning = beginning
    }

    /// Whether it was begun where there was none.
    var isStart: Bool { lineage.start.generation == generation }

    package var encoded: [UInt8] { encoded(inVersion: Self.version) }

    /// - Parameter version: Differs from ``version`` only in tests of later versions.
    package func encoded(inVersion version: UInt32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        bytes.withUnsafeMutableBytes { bytes in
            bytes.store(Self.magic, at: 0)
            bytes.store(version, at: 8)
            bytes.store(generation, at: Self.generationOffset)
            bytes.store(previousGeneration, at: 24)
            bytes.store(previousEnd, at: 32)
            bytes.store(beginning.history, at: 40)
            bytes.store(beginning.position, at: 48)
            bytes.store(beginning.checksum, at: 56)
            bytes.store(base, at: 64)
            bytes.store(oldest.position, at: 72)
            bytes.store(oldest.checksum, at: 80)
            bytes.store(lineage.resets, at: 88)
            bytes.store(lineage.restarts, at: 92)
            bytes.store(lineage.start.generation, at: 96)
            bytes.store(lineage.start.position, at: 104)
            bytes.store(lineage.start.checksum, at: 112)
            bytes.store(lineage.origin.hash, at: 120)
            bytes.store(lineage.origin.size, at: 128)
            bytes.store(Self.checksum(UnsafeRawBufferPointer(bytes)), at: 12)
        }
        return bytes
    }

    /// - Parameter bytes: The journal from its start; bytes after the header are ignored.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(JournalError) -> JournalHeader {
        guard bytes.count >= size else { throw .empty }
        let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<size])
        guard !bytes.isZero(from: 0) else { throw .empty }
        guard bytes.number(UInt64.self, at: 0) == magic, bytes.number(UInt32.self, at: 12) == checksum(bytes) else {
            throw .damaged
        }
        let version = bytes.number(UInt32.self, at: 8)
        guard version <= Self.version else { throw .newerVersion(version) }
        func token(at offset: Int) -> ChangeToken {
            ChangeToken(
                history: bytes.number(UInt64.self, at: 40), position: bytes.number(UInt64.self, at: offset),
                checksum: bytes.number(UInt64.self, at: offset + 8))
        }
        let header = JournalHeader(
            generation: bytes.number(UInt64.self, at: generationOffset),
            previousGeneration: bytes.number(UInt64.self, at: 24), previousEnd: bytes.number(UInt64.self, at: 32),
            beginning: token(at: 48), oldest: token(at: 72),
            lineage: JournalLineage(
                resets: bytes.number(UInt32.self, at: 88), restarts: bytes.number(UInt32.self, at: 92),
                start: JournalLineage.Start(
                    generation: bytes.number(UInt64.self, at: 96), position: bytes.number(UInt64.self, at: 104),
                    checksum: bytes.number(UInt64.self, at: 112)),
                origin: FileVersion(
                    hash: bytes.number(UInt64.self, at: 120), size: bytes.number(UInt64.self, at: 128))),
            base: bytes.number(UInt64.self, at: 64))
        // There is no version before this one: those were never released.
        guard version == Self.version, header.generation != 0, header.beginning.history != 0,
            header.lineage.resets < .max, header.lineage.restarts < .max,
            max(header.beginning.position, header.oldest.position, header.lineage.start.position) < positionLimit,
            header.base >= UInt64(size),
            header.base <= baseLimit, header.base % 8 == 0
        else { throw .damaged }
        return header
    }

    /// Twice the bytes of the longest journal, so that no sum with it overflows.
    static let baseLimit: UInt64 = 1 << 30

    /// Positions in a history are less: no program makes that many transactions, and no sum with one overflows.
    static let positionLimit: UInt64 = 1 << 62

    private static let magic: UInt64 = 0x0AF5_656C_7474_6553

    /// Treats the checksum's own field as zeros.
    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var hash = ContentHash()
        hash.combine(bytes.number(UInt64.self, at: 0), UInt64(bytes.number(UInt32.self, at: 8)))
        hash.combine(UnsafeRawBufferPointer(rebasing: bytes[16..<size]))
        return UInt32(truncatingIfNeeded: hash.value)
    }
}
