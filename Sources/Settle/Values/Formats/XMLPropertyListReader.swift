#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads one XML property list.
struct XMLPropertyListReader {
    var scanner: XMLScanner
    private let dialect: PropertyListDialect
    private let duplicateKeys: DuplicateKeyRule
    /// `nil` if the lines of the keys are not needed.
    let lines: KeyLineRecorder?

    /// - Parameter isConverted: Whether the bytes have been converted to UTF-8, whatever encoding they declare.
    init(
        _ bytes: [UInt8], dialect: PropertyListDialect = .settings, isConverted: Bool = false,
        duplicateKeys: DuplicateKeyRule = .refused, recordsLines: Bool = false
    ) {
        scanner = XMLScanner(bytes, isConverted: isConverted)
        self.dialect = dialect
        self.duplicateKeys = duplicateKeys
        lines = recordsLines ? KeyLineRecorder() : nil
    }

    mutating func readFile() throws(FormatError) -> SettingTree {
        let root = try readRoot { (reader, tag) throws(FormatError) in
            switch tag {
            case .start("dict", let offset): try reader.readDictionary(depth: 1, offset)
            case .empty("dict", _): SettingValue.Entries()
            case .start(_, let offset), .empty(_, let offset), .end(_, let offset):
                throw reader.scanner.failure("The settings must be a <dict>.", at: offset)
            }
        }
        return SettingTree(root)
    }

    /// Reads any value, which older tools write without a `plist` element around it.
    mutating func readDocument() throws(FormatError) -> SettingValue {
        try readRoot(PropertyListDocument.elements) { (reader, tag) throws(FormatError) in
            try reader.readValue(tag, 0)
        }
    }

    /// - Parameter bareElements: The elements that may be the root of the file.
    private mutating func readRoot<Root>(
        _ bareElements: Set<String> = [],
        _ read: (inout XMLPropertyListReader, XMLScanner.Tag) throws(FormatError) -> Root
    ) throws(FormatError) -> Root {
        try scanner.skipProlog()
        guard !scanner.isAtEnd else { throw scanner.failure("The file has no <plist> element.") }
        let tag = try scanner.readTag()
        let root: Root
        switch tag {
        case .start("plist", _):
            root = try read(&self, try scanner.readTag())
            guard case .end("plist", _) = try scanner.readTag() else {
                throw scanner.failure("</plist> is expected after the settings.")
            }
        case .start(let name, _) where bareElements.contains(name),
            .empty(let name, _) where bareElements.contains(name):
            root = try read(&self, tag)
        default: throw scanner.failure("A property list must start with <plist>.", at: 0)
        }
        try scanner.skipSpaceAndComments()
        guard scanner.isAtEnd else { throw scanner.failure("There is something after the end of the settings.") }
        return root
    }

    private mutating func readDictionary(depth: Int, _ start: Int) throws(FormatError) -> SettingValue.Entries {
        try checkDepth(depth, start)
        var entries: SettingValue.Entries = [:]
        while true {
            let key: String
            let keyOffset: Int
            switch try scanner.readTag() {
            case .end("dict", _): return entries
            case .start("key", let offset): (key, keyOffset) = (try scanner.readText(of: "key"), offset)
            case .empty("key", let offset): (key, keyOffset) = ("", offset)
            case .start(_, let offset), .empty(_, let offset), .end(_, let offset):
                throw scanner.failure("A <key> or </dict> is expected here.", at: offset)
            }
            lines?.beginKey(key, at: keyOffset, in: scanner.bytes)
            let value = try readValue(try scanner.readTag(), depth)
            lines?.endKey()
            guard duplicateKeys.set(value, forKey: key, in: &entries) else {
                throw scanner.failure("The key “\(key)” occurs twice.", rule: .duplicateKey, at: keyOffset)
            }
        }
    }

    private mutating func readArray(depth: Int, _ start: Int) throws(FormatError) -> [SettingValue] {
        try checkDepth(depth, start)
        var elements: [SettingValue] = []
        while true {
            let tag = try scanner.readTag()
            if case .end("array", _) = tag {
                lines?.endArray()
                return elements
            }
            elements.append(try readValue(tag, depth))
        }
    }

    mutating func readValue(_ tag: XMLScanner.Tag, _ depth: Int) throws(FormatError) -> SettingValue {
        switch tag {
        case .empty("dict", let offset):
            try emptyContainer(.dictionary([:]), depth + 1, offset)
        case .empty("array", let offset):
            try emptyContainer(.array([]), depth + 1, offset)
        case .empty(let name, let offset): try value(name, "", offset)
        case .start("dict", let offset): .dictionary(try readDictionary(depth: depth + 1, offset))
        case .start("array", let offset): .array(try readArray(depth: depth + 1, offset))
        case .start(let name, let offset): try value(name, try scanner.readText(of: name), offset)
        case .end(_, let offset):
            throw scanner.failure("A value is expected here, not an end tag.", at: offset)
        }
    }

    private func emptyContainer(
        _ value: SettingValue, _ depth: Int, _ offset: Int
    ) throws(FormatError) -> SettingValue {
        try checkDepth(depth, offset)
        return value
    }

    private func value(_ name: String, _ text: String, _ offset: Int) throws(FormatError) -> SettingValue {
        let value: SettingValue? =
            switch name {
            case "string": dialect.value(of: text)
            case "true": text.isEmpty ? .bool(true) : nil
            case "false": text.isEmpty ? .bool(false) : nil
            case "integer": integer(text.trimmed)
            case "real": real(text.trimmed).map(SettingValue.real)
            case "date": date(text.trimmed).map(SettingValue.date)
            case "data": Data(base64Encoded: text.withoutSpace).map(SettingValue.data)
            default: throw scanner.failure("Property lists have no element with this name.", at: offset)
            }
        guard let value else {
            throw scanner.failure("This is not a valid <\(name)>.", rule: .unsupportedValue, at: offset)
        }
        return value
    }

    /// Decimal, or hexadecimal after `0x`, which Apple's tools accept too.
    private func integer(_ text: Substring) -> SettingValue? {
        if let value = Int64(text) { return .integer(value) }
        let isNegative = text.hasPrefix("-")
        let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : text
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            let digits = digits.dropFirst(2)
            guard digits.first?.isHexDigit == true, let magnitude = Int128(digits, radix: 16) else { return nil }
            return exact(isNegative ? -magnitude : magnitude)
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        let significant = digits.drop { $0 == "0" }
        guard let magnitude = Int128("0" + significant) else { return .number((isNegative ? "-" : "") + significant) }
        return exact(isNegative ? -magnitude : magnitude)
    }

    private func exact(_ integer: Int128) -> SettingValue {
        Int64(exactly: integer).map(SettingValue.integer) ?? .number(String(integer))
    }

    /// The nearest double, which is what a property list's real is.
    private func real(_ text: Substring) -> Double? {
        switch text.lowercased() {
        case "nan": return .nan
        case "inf", "+inf", "infinity", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: break
        }
        let literal = text.hasPrefix("+") ? text.dropFirst() : text
        guard literal.utf8.allSatisfy(\.isPartOfReal), let value = Double(literal), value.isFinite else { return nil }
        return value
    }

    /// In whole seconds of UTC, the only form that other readers know, and in the calendar that they use.
    private func date(_ text: Substring) -> Date? {
        guard text.utf8.count == 20, text.hasSuffix("Z") else { return nil }
        return Timestamp(iso8601: String(text), in: .historical)?.date
    }

    private func checkDepth(_ depth: Int, _ offset: Int) throws(FormatError) {
        guard depth <= SettingValue.depthLimit else {
            throw scanner.failure(SettingValue.depthReason, rule: .limit, at: offset)
        }
    }
}

extension String {
    fileprivate var trimmed: Substring {
        let start = utf8.firstIndex { !$0.isTextSpace } ?? endIndex
        let end = utf8.lastIndex { !$0.isTextSpace }.map { utf8.index(after: $0) } ?? start
        return self[start..<end]
    }

    fileprivate var withoutSpace: String {
        String(decoding: utf8.filter { !$0.isTextSpace }, as: UTF8.self)
    }
}

extension UInt8 {
    /// The characters of decimal reals; `Double` would also accept names and hexadecimal.
    fileprivate var isPartOfReal: Bool {
        isDigit
            || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")]
                .contains(self)
    }
}
