/// The keys of a record. They begin its payload and have a checksum of their own, so that they can be read even if the
/// rest of the record is damaged. See ``JournalRecord/encoded(at:)`` for the bytes.
struct JournalKeySection {
    static let size = 16
    /// The number of keys of a record with a whole tree, which affects every key.
    static let everything = UInt32.max

    /// The number of keys, or ``everything``.
    let count: UInt32
    /// The keys, without the section's own numbers.
    let bytes: UnsafeRawBufferPointer

    /// `nil` if the checksum does not match.
    ///
    /// - Parameters:
    ///   - payload: Begins with the section; the rest is ignored.
    ///   - offset: The record's offset in the journal.
    init?(_ payload: UnsafeRawBufferPointer, generation: UInt64, offset: Int) {
        guard payload.count >= Self.size else { return nil }
        let size = Int(payload.number(UInt32.self, at: 0))
        guard size <= payload.count - Self.size else { return nil }
        let checksum = Self.checksum(
            UnsafeRawBufferPointer(rebasing: payload[..<(Self.size + size)]), generation: generation, offset: offset)
        guard payload.number(UInt64.self, at: 8) == checksum else { return nil }
        count = payload.number(UInt32.self, at: 4)
        bytes = UnsafeRawBufferPointer(rebasing: payload[Self.size..<(Self.size + size)])
    }

    func keys() throws(JournalError) -> [SettingKey] {
        var reader = JournalValueReader(bytes)
        // A key has at least one byte: its count.
        guard Int(count) <= bytes.count else { throw .damaged }
        var keys: [SettingKey] = []
        keys.reserveCapacity(Int(count))
        for _ in 0..<count { keys.append(SettingKey(stored: try reader.readText())) }
        guard reader.isAtEnd else { throw .damaged }
        return keys
    }

    /// Writes the numbers before the keys.
    ///
    /// - Parameter section: The section, which ends with the last key.
    static func seal(_ section: UnsafeMutableRawBufferPointer, count: UInt32, generation: UInt64, offset: Int) {
        section.store(UInt32(section.count - size), at: 0)
        section.store(count, at: 4)
        section.store(checksum(UnsafeRawBufferPointer(section), generation: generation, offset: offset), at: 8)
    }

    private static func checksum(_ section: UnsafeRawBufferPointer, generation: UInt64, offset: Int) -> UInt64 {
        var hash = ContentHash(seed: ~generation)
        hash.combine(UInt64(offset), section.number(UInt64.self, at: 0))
        hash.combine(UnsafeRawBufferPointer(rebasing: section[size...]))
        return hash.value
    }
}
