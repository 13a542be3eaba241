#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes one value as an XML property list, with sorted keys.
struct XMLPropertyListWriter {
    private static let header = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    private let dialect: PropertyListDialect
    private let layout: TextLayout
    private var bytes: [UInt8] = []
    private var depth = 0

    init(dialect: PropertyListDialect = .settings, _ layout: TextLayout = .propertyList) {
        self.dialect = dialect
        self.layout = layout
    }

    mutating func write(_ entries: SettingValue.Entries) throws(FormatError) {
        try checkDepth()
        guard !entries.isEmpty else {
            appendLine("<dict/>")
            return
        }
        open("<dict>")
        for (key, value) in entries.sortedByKey() {
            do throws(FormatError) {
                try appendLine("key", text: key)
                try write(value)
            } catch {
                throw error.below(key)
            }
        }
        close("</dict>")
    }

    /// The finished file.
    consuming func finish() -> [UInt8] {
        appendLine("</plist>")
        return Array(Self.header.utf8) + bytes
    }

    /// Returns the written bytes, without the indentation and the final line break.
    consuming func fragment() -> [UInt8] {
        layout.isOneLine ? bytes : Array(bytes.dropFirst(layout.indentation.count).dropLast(layout.lineBreak.count))
    }

    mutating func write(_ value: SettingValue) throws(FormatError) {
        switch value {
        case .null: appendLine("string", try dialect.spellingOfNull())
        case .bool(let value): appendLine(value ? "<true/>" : "<false/>")
        case .integer(let value): appendLine("integer", value.description)
        case .real(let value): appendLine("real", spelling(of: value))
        case .number(let literal):
            guard let number = DecimalNumber(literal), number.isInteger,
                let digits = number.wholeDigits(limit: max(literal.utf8.count, 40))
            else {
                throw FormatError(
                    .unsupportedValue, at: .key(""), "A property list cannot store this number.")
            }
            let text = String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
            appendLine("integer", (number.isNegative ? "-" : "") + text)
        case .string(let text): try appendLine("string", text: dialect.spelling(of: text))
        case .date(let date): try write(date)
        case .data(let data): appendLine("data", data.base64EncodedString())
        case .array(let elements): try write(elements)
        case .dictionary(let entries): try write(entries)
        }
    }

    private mutating func write(_ elements: [SettingValue]) throws(FormatError) {
        try checkDepth()
        guard !elements.isEmpty else {
            appendLine("<array/>")
            return
        }
        open("<array>")
        for (position, element) in elements.enumerated() {
            do throws(FormatError) {
                try write(element)
            } catch {
                throw error.below(String(position))
            }
        }
        close("</array>")
    }

    /// Writes a date in whole seconds as a date, and any other as a string, which only a settings file has.
    private mutating func write(_ date: Date) throws(FormatError) {
        if let text = Timestamp(date)?.iso8601(in: .historical), text.utf8.count == 20 {
            appendLine("date", text)
            return
        }
        guard dialect == .settings else {
            throw FormatError(
                .unsupportedValue, at: .key(""),
                "An XML property list holds dates in whole seconds of the years 0 to 9999 only.")
        }
        try appendLine("string", PropertyListText.spelling(of: date))
    }

    private func spelling(of value: Double) -> String {
        value.isFinite ? value.description : value.isNaN ? "nan" : value < 0 ? "-infinity" : "+infinity"
    }

    private func checkDepth() throws(FormatError) {
        guard depth < SettingValue.depthLimit else {
            throw FormatError(.limit, at: .key(""), SettingValue.depthReason)
        }
    }

    private mutating func open(_ tag: StaticString) {
        appendLine(tag.description)
        depth += 1
    }

    private mutating func close(_ tag: StaticString) {
        depth -= 1
        appendLine(tag.description)
    }

    private mutating func appendLine(_ line: String) {
        indent()
        append(line)
        endLine()
    }

    private mutating func appendLine(_ element: StaticString, _ plainText: String) {
        startElement(element)
        append(plainText)
        endElement(element)
    }

    private mutating func appendLine(_ element: StaticString, text: String) throws(FormatError) {
        startElement(element)
        if text.utf8.contains(where: \.needsReference) {
            for byte in text.utf8 { try append(escaped: byte) }
        } else {
            append(text)
        }
        endElement(element)
    }

    static func spelling(ofKey key: String) throws(FormatError) -> [UInt8] {
        var writer = XMLPropertyListWriter(TextLayout(unit: [], isOneLine: true))
        try writer.appendLine("key", text: key)
        return writer.bytes
    }

    private mutating func startElement(_ element: StaticString) {
        indent()
        append("<")
        append(element.description)
        append(">")
    }

    private mutating func endElement(_ element: StaticString) {
        append("</")
        append(element.description)
        append(">")
        endLine()
    }

    private mutating func indent() {
        guard !layout.isOneLine else { return }
        bytes.append(contentsOf: layout.indentation)
        for _ in 0..<depth { bytes.append(contentsOf: layout.unit) }
    }

    private mutating func endLine() {
        if !layout.isOneLine { bytes.append(contentsOf: layout.lineBreak) }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(escaped byte: UInt8) throws(FormatError) {
        switch byte {
        case UInt8(ascii: "<"): append("&lt;")
        case UInt8(ascii: ">"): append("&gt;")
        case UInt8(ascii: "&"): append("&amp;")
        case 0x09, 0x0A: bytes.append(byte)
        // XML parsers turn a carriage return into a line feed and reject other control characters; property list
        // readers accept all of them as references.
        case 0..<0x20: append("&#\(byte);")
        default: bytes.append(byte)
        }
    }
}

extension UInt8 {
    fileprivate var needsReference: Bool {
        self < 0x20 || self == UInt8(ascii: "<") || self == UInt8(ascii: ">") || self == UInt8(ascii: "&")
    }
}
