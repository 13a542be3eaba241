#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads values written by ``JournalValueWriter``. Trusts nothing in the bytes: each count is compared with the rest.
package struct JournalValueReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// The maximum number of elements for which memory is reserved before they are read. A wrong count, repeated in
    /// each array of a deep nest, could request a hundred times the memory that the bytes can fill.
    private static let trustedCount = 1024

    /// - Parameter bytes: Must stay valid as long as the reader is used.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { offset == bytes.count }

    private var remaining: Int { bytes.count - offset }

    package mutating func readValue() throws(JournalError) -> SettingValue {
        try readValue(try readTag(), depth: 0)
    }

    /// - Parameter depth: The depth of the array or dictionary that contains the value.
    package mutating func readValue(_ tag: UInt8, depth: Int = 0) throws(JournalError) -> SettingValue {
        switch tag {
        case JournalValueTag.null: return .null
        case JournalValueTag.false: return .bool(false)
        case JournalValueTag.true: return .bool(true)
        case JournalValueTag.integer:
            let zigzag = try readCount()
            return .integer(Int64(bitPattern: zigzag >> 1) ^ -Int64(zigzag & 1))
        case JournalValueTag.real: return .real(Double(bitPattern: try readBits()))
        case JournalValueTag.number: return .number(try readText())
        case JournalValueTag.string: return .string(try readText())
        case JournalValueTag.date:
            return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try readBits())))
        case JournalValueTag.data:
            let count = try readSize()
            return .data(Data(readBytes(count)))
        case JournalValueTag.array: return .array(try readElements(depth: depth + 1))
        case JournalValueTag.dictionary: return .dictionary(try readEntries(depth: depth + 1))
        default: throw .damaged
        }
    }

    private mutating func readElements(depth: Int) throws(JournalError) -> [SettingValue] {
        guard depth <= SettingValue.depthLimit else { throw .damaged }
        let count = try readSize()
        var elements: [SettingValue] = []
        elements.reserveCapacity(min(count, Self.trustedCount))
        for _ in 0..<count { elements.append(try readValue(try readTag(), depth: depth)) }
        return elements
    }

    private mutating func readEntries(depth: Int) throws(JournalError) -> SettingValue.Entries {
        guard depth <= SettingValue.depthLimit else { throw .damaged }
        let count = try readSize()
        // An entry has at least two bytes: a count and a tag.
        guard count <= remaining / 2 else { throw .damaged }
        guard count <= Self.trustedCount || depth <= 2 && count <= remaining / 16 else {
            return try readManyEntries(count, depth: depth)
        }
        var entries = SettingValue.Entries(minimumCapacity: count)
        for _ in 0..<count {
            let key = try readText()
            guard entries.updateValue(try readValue(try readTag(), depth: depth), forKey: key) == nil else {
                throw .damaged
            }
        }
        return entries
    }

    /// Reads all entries before reserving memory for a dictionary: a wrong count must not request more than the bytes
    /// can fill.
    private mutating func readManyEntries(_ count: Int, depth: Int) throws(JournalError) -> SettingValue.Entries {
        var read: [(key: String, value: SettingValue)] = []
        for _ in 0..<count { read.append((try readText(), try readValue(try readTag(), depth: depth))) }
        var entries = SettingValue.Entries(minimumCapacity: count)
        for (key, value) in read {
            guard entries.updateValue(value, forKey: key) == nil else { throw .damaged }
        }
        return entries
    }

    package mutating func readTag() throws(JournalError) -> UInt8 {
        guard offset < bytes.count else { throw .damaged }
        defer { offset += 1 }
        return bytes[offset]
    }

    package mutating func readCount() throws(JournalError) -> UInt64 {
        var count: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try readTag()
            // Only the lowest bit of the tenth byte fits into 64 bits.
            guard shift < 63 || byte <= 1 else { throw .damaged }
            count |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return count }
        }
        throw .damaged
    }

    /// A count of things that take at least one byte each.
    package mutating func readSize() throws(JournalError) -> Int {
        let count = try readCount()
        guard count <= remaining else { throw .damaged }
        return Int(count)
    }

    package mutating func readBits() throws(JournalError) -> UInt64 {
        guard remaining >= 8 else { throw .damaged }
        defer { offset += 8 }
        return bytes.number(UInt64.self, at: offset)
    }

    package mutating func readText() throws(JournalError) -> String {
        let count = try readSize()
        let bytes = readBytes(count)
        // Validation asks for the types of its generic parts each time, so it takes longer than to make the text.
        var bits: UInt8 = 0
        for byte in bytes { bits |= byte }
        if bits < 0x80 { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .damaged }
        return text
    }

    /// - Parameter count: At most the number of remaining bytes, as ``readSize()`` guarantees.
    private mutating func readBytes(_ count: Int) -> UnsafeRawBufferPointer {
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }
}
