/// The bytes before a record's payload. See ``JournalRecord/encoded(at:)`` for their layout.
struct JournalRecordHeader {
    /// The raw values are part of the file format and must never change.
    enum Kind: UInt8 {
        case base = 1
        case values = 2
        case edited = 3
        case mirroring = 4
        case mirrored = 5
        case kept = 6
        case history = 7
        case past = 8
        case united = 9
        case state = 10
        case editedState = 11
    }

    /// The record has transactions, which are counted.
    static let transactionsFlag: UInt8 = 1

    static let size = 32
    static let chainOffset = 8
    static let durableEndOffset = 16
    static let checksumOffset = 24

    let payloadSize: Int
    /// `nil` if the kind or a flag is unknown: if the checksum matches, a newer version has written the record.
    let kind: Kind?
    let hasTransactions: Bool
    let chain: UInt64
    let durableEnd: Int
    let checksum: UInt64

    /// `nil` if these are not the first bytes of a record. The first word decides in nearly all cases.
    ///
    /// - Parameter bytes: At least ``size`` bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        // Length, kind, flags and two zeros.
        let word = bytes.number(UInt64.self, at: 0)
        guard let payloadSize = Int(exactly: word & 0xFFFF_FFFF), payloadSize >= JournalKeySection.size,
            payloadSize <= JournalRecord.payloadLimit,
            let durableEnd = Int(exactly: bytes.number(UInt64.self, at: Self.durableEndOffset))
        else { return nil }
        self.payloadSize = payloadSize
        let hasKnownFlags = word >> 40 <= UInt64(Self.transactionsFlag)
        kind = hasKnownFlags ? Kind(rawValue: UInt8(truncatingIfNeeded: word >> 32)) : nil
        hasTransactions = word >> 40 & UInt64(Self.transactionsFlag) != 0
        self.durableEnd = durableEnd
        chain = bytes.number(UInt64.self, at: Self.chainOffset)
        checksum = bytes.number(UInt64.self, at: Self.checksumOffset)
    }

    /// The size of the whole record with its padding.
    var recordSize: Int { Self.recordSize(ofPayload: payloadSize) }

    static func recordSize(ofPayload size: Int) -> Int { Self.size + (size + 7) & ~7 }

    /// The checksum of a whole record, with its own field as zero. No record is valid at another offset or in another
    /// generation.
    static func checksum(of record: UnsafeRawBufferPointer, generation: UInt64, offset: Int) -> UInt64 {
        var hash = ContentHash(seed: generation)
        hash.combine(UInt64(offset), record.number(UInt64.self, at: 0))
        hash.combine(
            record.number(UInt64.self, at: chainOffset), record.number(UInt64.self, at: durableEndOffset))
        hash.combine(UnsafeRawBufferPointer(rebasing: record[size...]))
        return hash.value
    }
}
