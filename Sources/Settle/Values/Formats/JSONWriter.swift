#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes one value in JSON, with sorted keys.
struct JSONWriter: ~Copyable {
    private let layout: TextLayout
    private var bytes = ByteBuffer()
    private var depth = 0
    /// The line break and indentation of an entry at this depth; none on one line.
    private var lineStart: [UInt8]
    /// The bytes between entries, before the next line.
    private let separator: [UInt8]

    init(_ layout: TextLayout = .json) {
        self.layout = layout
        lineStart = layout.isOneLine ? [] : layout.lineBreak + layout.indentation
        separator = Array((layout.isOneLine && layout.isSpaced ? ", " : ",").utf8)
    }

    /// The written values.
    var spelling: [UInt8] { bytes.array }

    /// Returns the finished file, which ends with a line break.
    mutating func finish() -> [UInt8] {
        if !layout.isOneLine { bytes.append(layout.lineBreak) }
        return bytes.array
    }

    mutating func write(_ value: SettingValue) throws(FormatError) {
        switch value {
        case .null: bytes.append("null")
        case .bool(let value): bytes.append(value ? "true" : "false")
        case .integer(let value): bytes.append(decimal: value)
        case .real(let value):
            guard value.isFinite else {
                throw FormatError(.unsupportedValue, at: .key(""), "JSON can't represent the number \(value).")
            }
            bytes.append(value.description)
        case .number(let literal):
            guard DecimalNumber.isLiteral(literal) else {
                throw FormatError(.unsupportedValue, at: .key(""), "This is not a number.")
            }
            bytes.append(literal)
        case .string(let text): bytes.append(quoted: text)
        case .date(let date): try write(date)
        case .data(let data): bytes.append(quoted: data.base64EncodedString())
        case .array(let elements): try write(elements)
        case .dictionary(let object): try write(object)
        }
    }

    private mutating func write(_ date: Date) throws(FormatError) {
        switch try DateSpelling(date) {
        case .iso8601(let text): bytes.append(quoted: text)
        case .secondsSince1970(let literal): bytes.append(literal)
        }
    }

    // MARK: Objects

    /// An entry of an object as it was written before the entries were sorted.
    private struct Entry {
        /// Its bytes; without its value if that is written later.
        let range: Range<Int>
        let key: Range<Int>
        /// The index of its value among those that are written later.
        let later: Int?
    }

    /// Writes the entries in the order in which they are in memory, and then copies them in the order of their keys:
    /// following the names and values of a large dictionary in that order takes several times as long.
    @inline(never) mutating func write(_ object: SettingValue.Entries) throws(FormatError) {
        try open(UInt8(ascii: "{"))
        guard !object.isEmpty else { return close(UInt8(ascii: "}"), isEmpty: true) }
        var unsorted = ByteBuffer(capacity: object.count * (lineStart.count + 36))
        var entries: [Entry] = []
        entries.reserveCapacity(object.count)
        var later: [SettingValue] = []
        swap(&bytes, &unsorted)
        for (name, value) in object.byName { entries.append(write(name.text, value, &later)) }
        swap(&bytes, &unsorted)
        let keys = entries.map(\.key)
        let order = unsorted.withBytes { KeyOrder.indices(sorting: keys, of: $0) }
        bytes.reserve(unsorted.count)
        for number in order {
            let entry = entries[number]
            bytes.append(entry.range, of: unsorted)
            guard let index = entry.later else { continue }
            do throws(FormatError) {
                try write(later[index])
            } catch {
                throw error.below(unsorted.withBytes { String(decoding: $0[entry.key], as: UTF8.self) })
            }
            bytes.append(separator)
        }
        bytes.removeLast(separator.count)
        close(UInt8(ascii: "}"))
    }

    /// Writes an entry with the separator after it, but without its value if that is large or can't be written.
    private mutating func write(_ name: String, _ value: SettingValue, _ later: inout [SettingValue]) -> Entry {
        let start = bytes.count
        bytes.append(lineStart)
        let plain = bytes.append(quoted: name)
        bytes.append(UInt8(ascii: ":"))
        if layout.isSpaced { bytes.append(UInt8(ascii: " ")) }
        var (end, index) = (bytes.count, Int?.none)
        // The first error in the order of the keys is thrown, when it is that value's turn.
        if !value.isLarge, (try? write(value)) != nil {
            bytes.append(separator)
            end = bytes.count
        } else {
            index = later.count
            later.append(value)
        }
        // Names are sorted by their own bytes, not by escapes.
        let key = if let plain { plain } else { bytes.append(name) }
        return Entry(range: start..<end, key: key, later: index)
    }

    // MARK: Arrays

    @inline(never) private mutating func write(_ elements: [SettingValue]) throws(FormatError) {
        try open(UInt8(ascii: "["))
        guard !elements.isEmpty else { return close(UInt8(ascii: "]"), isEmpty: true) }
        for (position, element) in elements.enumerated() {
            if position > 0 { bytes.append(separator) }
            bytes.append(lineStart)
            do throws(FormatError) {
                try write(element)
            } catch {
                throw error.below(String(position))
            }
        }
        close(UInt8(ascii: "]"))
    }

    // MARK: Brackets

    private mutating func open(_ bracket: UInt8) throws(FormatError) {
        depth += 1
        guard depth <= SettingValue.depthLimit else {
            throw FormatError(.limit, at: .key(""), SettingValue.depthReason)
        }
        if !layout.isOneLine { lineStart += layout.unit }
        bytes.append(bracket)
    }

    private mutating func close(_ bracket: UInt8, isEmpty: Bool = false) {
        depth -= 1
        if !layout.isOneLine { lineStart.removeLast(layout.unit.count) }
        if !isEmpty { bytes.append(lineStart) }
        bytes.append(bracket)
    }
}

extension SettingValue {
    /// Whether it is written only once: its parts are sorted too, or it would take much memory twice.
    fileprivate var isLarge: Bool {
        switch self {
        case .array, .dictionary: true
        case .string(let text), .number(let text): text.utf8.count > 1 << 10
        case .data(let data): data.count > 1 << 10
        case .null, .bool, .integer, .real, .date: false
        }
    }
}
