#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes one value in JSON, with sorted keys.
struct JSONWriter {
    private let layout: TextLayout
    private(set) var bytes: [UInt8] = []
    private var depth = 0
    /// The line break and indentation of an entry at this depth.
    private var lineStart: [UInt8]

    init(_ layout: TextLayout = .json) {
        self.layout = layout
        lineStart = layout.lineBreak + layout.indentation
    }

    @inline(never) mutating func write(_ object: SettingValue.Entries) throws(FormatError) {
        try open(UInt8(ascii: "{"))
        guard !object.isEmpty else { return close(UInt8(ascii: "}"), isEmpty: true) }
        if depth == 1 { bytes.reserveCapacity(object.count * 48) }
        var isFirst = true
        for place in object.placesSortedByKey() {
            startLine(isFirst)
            isFirst = false
            append(quoted: object.name(at: place))
            bytes.append(UInt8(ascii: ":"))
            if layout.isSpaced { bytes.append(UInt8(ascii: " ")) }
            do throws(FormatError) {
                try write(object.value(at: place))
            } catch {
                throw error.below(object.name(at: place))
            }
        }
        close(UInt8(ascii: "}"))
    }

    /// The finished file, which ends with a line break.
    consuming func finish() -> [UInt8] {
        if !layout.isOneLine { bytes.append(contentsOf: layout.lineBreak) }
        return bytes
    }

    mutating func write(_ value: SettingValue) throws(FormatError) {
        switch value {
        case .null: append("null")
        case .bool(let value): append(value ? "true" : "false")
        case .integer(let value): append(value)
        case .real(let value):
            guard value.isFinite else {
                throw FormatError(.unsupportedValue, at: .key(""), "JSON can't represent the number \(value).")
            }
            append(value.description)
        case .number(let literal):
            guard DecimalNumber.isLiteral(literal) else {
                throw FormatError(.unsupportedValue, at: .key(""), "This is not a number.")
            }
            append(literal)
        case .string(let text): append(quoted: text)
        case .date(let date): try write(date)
        case .data(let data): append(quoted: data.base64EncodedString())
        case .array(let elements): try write(elements)
        case .dictionary(let object): try write(object)
        }
    }

    private mutating func write(_ date: Date) throws(FormatError) {
        switch try DateSpelling(date) {
        case .iso8601(let text): append(quoted: text)
        case .secondsSince1970(let literal): append(literal)
        }
    }

    @inline(never) private mutating func write(_ elements: [SettingValue]) throws(FormatError) {
        try open(UInt8(ascii: "["))
        guard !elements.isEmpty else { return close(UInt8(ascii: "]"), isEmpty: true) }
        for (position, element) in elements.enumerated() {
            startLine(position == 0)
            do throws(FormatError) {
                try write(element)
            } catch {
                throw error.below(String(position))
            }
        }
        close(UInt8(ascii: "]"))
    }

    private mutating func open(_ bracket: UInt8) throws(FormatError) {
        depth += 1
        guard depth <= SettingValue.depthLimit else {
            throw FormatError(.limit, at: .key(""), SettingValue.depthReason)
        }
        lineStart += layout.unit
        bytes.append(bracket)
    }

    private mutating func close(_ bracket: UInt8, isEmpty: Bool = false) {
        depth -= 1
        lineStart.removeLast(layout.unit.count)
        if !isEmpty { startLine(true) }
        bytes.append(bracket)
    }

    private mutating func startLine(_ isFirst: Bool) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        guard !layout.isOneLine else {
            if !isFirst, layout.isSpaced { bytes.append(UInt8(ascii: " ")) }
            return
        }
        bytes.append(contentsOf: lineStart)
    }

    private mutating func append(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var (start, rest) = (bytes.count, number.magnitude)
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var end = bytes.count - 1
        while start < end {
            bytes.swapAt(start, end)
            (start, end) = (start + 1, end - 1)
        }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(quoted text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            if Self.needsEscape(utf8) {
                for byte in utf8 { append(escaped: byte) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Examines all bytes without a branch, which is faster than stopping at the first match.
    private static func needsEscape(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt8 = 0
        for byte in utf8 {
            found |= (byte < 0x20 ? 1 : 0) | (byte == 0x22 ? 1 : 0) | (byte == 0x5C ? 1 : 0) | (byte == 0x7F ? 1 : 0)
        }
        return found != 0
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case 0..<0x20, 0x7F: append(byte < 0x10 ? "\\u000" : "\\u00", String(byte, radix: 16))
        default: bytes.append(byte)
        }
    }

    private mutating func append(_ first: String, _ second: String) {
        append(first)
        append(second)
    }
}
