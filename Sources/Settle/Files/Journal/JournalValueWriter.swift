#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes values in the journal's binary format.
///
/// A count is an unsigned number in groups of seven bits, lowest first; the top bit of a byte means that another one
/// follows. A text is a count of bytes, then that many bytes of UTF-8. A value is its tag (``JournalValueTag``) and
///
///     null, false, true   nothing
///     integer             a count, zigzag: 0, -1, 1, -2, … are 0, 1, 2, 3, …
///     real                8 bytes: the bits, so that every NaN and -0 are preserved
///     number              a text
///     string              a text
///     date                8 bytes: the bits of the seconds since the reference date
///     data                a count, then that many bytes
///     array               a count, then that many values
///     dictionary          a count, then that many pairs of a text and a value, in any order
package struct JournalValueWriter {
    package private(set) var bytes: [UInt8]

    /// - Parameter skipped: The number of leading zeros, a placeholder to be filled in at the end.
    package init(skipping skipped: Int = 0, reserving capacity: Int = 0) {
        // Never without capacity: the count would be written to the empty array that all threads share.
        bytes = [UInt8](unsafeUninitializedCapacity: max(skipped, capacity, 16)) { buffer, count in
            buffer[..<skipped].initialize(repeating: 0)
            count = skipped
        }
    }

    package mutating func write(_ value: SettingValue) {
        switch value {
        case .null: write(tag: JournalValueTag.null)
        case .bool(let value): write(tag: value ? JournalValueTag.true : JournalValueTag.false)
        case .integer(let value):
            write(tag: JournalValueTag.integer)
            write(count: UInt64(bitPattern: value << 1 ^ value >> 63))
        case .real(let value):
            write(tag: JournalValueTag.real)
            write(bits: value.bitPattern)
        case .number(let literal):
            write(tag: JournalValueTag.number)
            write(literal)
        case .string(let text):
            write(tag: JournalValueTag.string)
            write(text)
        case .date(let date):
            write(tag: JournalValueTag.date)
            write(bits: date.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let data):
            write(tag: JournalValueTag.data)
            write(count: UInt64(data.count))
            data.withUnsafeBytes { bytes.append(contentsOf: $0) }
        case .array(let elements):
            write(tag: JournalValueTag.array)
            write(count: UInt64(elements.count))
            for element in elements { write(element) }
        case .dictionary(let entries):
            write(tag: JournalValueTag.dictionary)
            write(count: UInt64(entries.count))
            for (key, value) in entries {
                write(key)
                write(value)
            }
        }
    }

    package mutating func write(tag: UInt8) {
        bytes.append(tag)
    }

    package mutating func write(count: UInt64) {
        var rest = count
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    package mutating func write(bits: UInt64) {
        withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            write(count: UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// Pads with zeros to a multiple of 8.
    mutating func pad() {
        while bytes.count % 8 != 0 { bytes.append(0) }
    }

    mutating func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeMutableBytes { body($0) }
    }
}
