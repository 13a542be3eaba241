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

    @inline(never) mutating func write(_ object: SettingValue.Entries) throws(FormatError) {
        try open(UInt8(ascii: "{"))
        guard !object.isEmpty else { return close(UInt8(ascii: "}"), isEmpty: true) }
        // A short entry takes about as many bytes.
        bytes.reserve(object.count * (lineStart.count + 36))
        let entries = object.table.entries
        for position in object.table.positionsByName {
            bytes.append(lineStart)
            bytes.append(quoted: entries[position].name.text)
            bytes.append(UInt8(ascii: ":"))
            if layout.isSpaced { bytes.append(UInt8(ascii: " ")) }
            do throws(FormatError) {
                try write(entries[position].value)
            } catch {
                throw error.below(entries[position].name.text)
            }
            bytes.append(separator)
        }
        bytes.removeLast(separator.count)
        close(UInt8(ascii: "}"))
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
