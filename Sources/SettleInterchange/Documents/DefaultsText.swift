package import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values as `defaults read` prints them: the description of property lists on Apple platforms, without types.
///
/// Data are shown completely, unless the text is abbreviated: `defaults` leaves out the middle of long ones.
package struct DefaultsText {
    private var text = ""
    private var isAbbreviated = false

    /// Returns the text of a value on its own: a string is itself, without quotation marks.
    package static func text(of value: SettingValue) -> String {
        if let scalar = scalar(value) { return scalar }
        var writer = DefaultsText()
        writer.write(value, level: 0)
        return writer.text
    }

    /// Returns the text of a value on its own, with dots in place of the middle of more than 24 bytes of data.
    package static func abbreviatedText(of value: SettingValue) -> String {
        if case .data(let data) = value { return abbreviated(data) }
        if let scalar = scalar(value) { return scalar }
        var writer = DefaultsText()
        writer.isAbbreviated = true
        writer.write(value, level: 0)
        return writer.text
    }

    /// Writes a value as a part of another.
    private mutating func write(_ value: SettingValue, level: Int) {
        let space = String(repeating: "    ", count: level)
        switch value {
        case .array(let elements):
            text += "\(space)(\n"
            for (position, element) in elements.enumerated() {
                text += "\(space)    "
                write(element, level: level + 1)
                text += position == elements.count - 1 ? "\n" : ",\n"
            }
            text += "\(space))"
        case .dictionary(let entries):
            text += "\(space){\n"
            for (key, value) in entries.sortedByKey() {
                text += "\(space)    \(Self.quoted(key)) = "
                write(value, level: level + 1)
                text += ";\n"
            }
            text += "\(space)}"
        case .data(let data): text += isAbbreviated ? Self.abbreviated(data) : Self.scalar(value) ?? ""
        default: text += Self.quoted(Self.scalar(value) ?? "")
        }
    }

    private static func scalar(_ value: SettingValue) -> String? {
        switch value {
        case .null: "<null>"
        case .bool(let bool): bool ? "1" : "0"
        case .integer(let integer): "\(integer)"
        case .real(let real): Int64(exactly: real).map { "\($0)" } ?? "\(real)"
        case .number(let literal): literal
        case .string(let text): text
        case .date(let date): spelled(date)
        case .data(let data):
            "{length = \(data.count), bytes = 0x\(data.map { hexadecimal($0) }.joined())}"
        case .array, .dictionary: nil
        }
    }

    private static func abbreviated(_ data: Data) -> String {
        guard data.count > 24 else { return scalar(.data(data)) ?? "" }
        func groups(_ bytes: Data) -> String {
            stride(from: bytes.startIndex, to: bytes.endIndex, by: 4)
                .map { start in bytes[start..<start + 4].map { hexadecimal($0) }.joined() }.joined(separator: " ")
        }
        return "{length = \(data.count), bytes = 0x\(groups(data.prefix(16))) ... \(groups(data.suffix(8))) }"
    }

    /// Returns a date, such as `2024-01-01 00:00:00 +0000`.
    private static func spelled(_ date: Date) -> String {
        let whole = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        let text = DateConversion.text(of: whole)
        // Years of more than four digits are numbers of seconds.
        return text.hasSuffix("Z") ? text.dropLast().replacing("T", with: " ") + " +0000" : text
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        byte < 16 ? "0\(String(byte, radix: 16))" : String(byte, radix: 16)
    }

    private static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0.isPlain }
        return isPlain ? text : String(decoding: OldText.quoted(text, inASCII: true), as: UTF8.self)
    }
}

extension UInt8 {
    /// Whether `defaults` shows it without quotation marks.
    fileprivate var isPlain: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
