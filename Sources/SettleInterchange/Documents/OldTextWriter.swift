import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes property lists in the old text form: sorted, and indented by four spaces.
///
/// An ``Adaptation`` has found the values that the form does not hold, with their keys, so an error here has no key.
struct OldTextWriter {
    private var bytes: [UInt8] = []
    private var depth = 0

    /// Returns the finished file.
    consuming func finish() -> [UInt8] {
        append("\n")
        return bytes
    }

    mutating func write(_ value: SettingValue) throws(FormatError) {
        switch value {
        case .string(let text): bytes.append(contentsOf: OldText.spelling(of: text))
        case .data(let data): write(data)
        case .array(let elements): try write(elements)
        case .dictionary(let entries): try write(entries)
        case .null, .bool, .integer, .real, .number, .date:
            throw FormatError(.unsupportedValue, at: .key(""), "The old text form has only strings and data.")
        }
    }

    private mutating func write(_ elements: [SettingValue]) throws(FormatError) {
        open("(")
        for (position, element) in elements.enumerated() {
            startLine()
            try write(element)
            if position < elements.count - 1 { append(",") }
        }
        close(")", isEmpty: elements.isEmpty)
    }

    private mutating func write(_ entries: SettingValue.Entries) throws(FormatError) {
        open("{")
        for (key, value) in entries.sortedByKey() {
            startLine()
            bytes.append(contentsOf: OldText.spelling(of: key))
            append(" = ")
            try write(value)
            append(";")
        }
        close("}", isEmpty: entries.isEmpty)
    }

    /// Writes data in groups of four bytes.
    private mutating func write(_ data: Data) {
        append("<")
        for (position, byte) in data.enumerated() {
            if position > 0, position % 4 == 0 { append(" ") }
            bytes.append(OldText.hexadecimalDigit(byte >> 4))
            bytes.append(OldText.hexadecimalDigit(byte & 0x0F))
        }
        append(">")
    }

    private mutating func open(_ bracket: StaticString) {
        depth += 1
        append(bracket)
    }

    private mutating func close(_ bracket: StaticString, isEmpty: Bool) {
        depth -= 1
        if !isEmpty { startLine() }
        append(bracket)
    }

    private mutating func startLine() {
        append("\n")
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 4 * depth))
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}

/// The spelling of strings in the old text form.
package enum OldText {
    /// Returns the string in ASCII, in quotation marks if it needs them.
    ///
    /// Readers treat some characters differently, such as the hyphen, so only characters that all accept are written
    /// without quotation marks.
    static func spelling(of text: String) -> [UInt8] {
        let utf8 = Array(text.utf8)
        let slash = UInt8(ascii: "/")
        let isPlain =
            !utf8.isEmpty && utf8.allSatisfy(isPlain)
            && !zip(utf8, utf8.dropFirst()).contains { $0 == slash && $1 == slash }
            // A file that begins with this is a binary one.
            && !utf8.starts(with: "bplist".utf8)
        return isPlain ? utf8 : quoted(text, inASCII: true)
    }

    /// Returns the string in quotation marks.
    ///
    /// - Parameter inASCII: Whether to escape non-ASCII characters. If not, only invisible characters are escaped.
    package static func quoted(_ text: String, inASCII: Bool) -> [UInt8] {
        var bytes = [UInt8(ascii: "\"")]
        bytes.reserveCapacity(text.utf8.count + 2)
        for scalar in text.unicodeScalars {
            if let letter = escape(scalar) {
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(letter)
            } else if isEscaped(scalar, inASCII) {
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                    bytes.append(contentsOf: "\\U".utf8)
                    for shift in [12, 8, 4, 0] { bytes.append(hexadecimalDigit(UInt8(unit >> shift & 0x0F))) }
                }
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return bytes
    }

    /// Returns the letter after the backslash, for characters that have one.
    private static func escape(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "\"", "\\": UInt8(ascii: scalar)
        case "\n": UInt8(ascii: "n")
        case "\r": UInt8(ascii: "r")
        case "\t": UInt8(ascii: "t")
        default: nil
        }
    }

    private static func isEscaped(_ scalar: Unicode.Scalar, _ inASCII: Bool) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F: true
        case 0x80..<0xA0, 0x2028, 0x2029, 0xFEFF: true
        case let value: inASCII && value >= 0x80
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_$/.".utf8.contains(byte)
        }
    }

    static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
