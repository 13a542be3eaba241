extension JSONReader: TextSyntax {
    static var layout: TextLayout { .json }
    static var hasCommas: Bool { true }
    static var gap: [UInt8] { Array(" ".utf8) }
    static func joint(in layout: TextLayout) -> [UInt8] { Array(": ".utf8) }

    mutating func root() throws(FormatError) -> Int {
        position = 0
        try skipToRoot()
        return position
    }

    mutating func dictionary(at start: Int) throws(FormatError) -> DictionarySpans? {
        position = start
        guard skip("{") else { return nil }
        var spans = DictionarySpans(interior: position..<position)
        try skipSpace()
        if peek() != UInt8(ascii: "}") {
            var hasMore = true
            while hasMore {
                let keyStart = position
                let name = try readKey()
                let key = keyStart..<position
                try skipColon()
                let valueStart = position
                try skipValue()
                let value = valueStart..<position
                try skipSpace()
                let comma = peek() == UInt8(ascii: ",") ? position : nil
                spans.entries.append(DictionarySpans.Entry(name: name, key: key, value: value, comma: comma))
                hasMore = try skipComma(or: "}", "A comma or } is expected here.")
            }
            position -= 1
        }
        spans.interior = spans.interior.lowerBound..<position
        return spans
    }

    mutating func value(at start: Int) throws(FormatError) -> (value: SettingValue, end: Int) {
        position = start
        return (try readValue(depth: 0), position)
    }

    func commentEnd(at position: Int) -> Int? { Self.commentEnd(in: bytes, at: position) }

    static func spelling(of key: String) throws(FormatError) -> [UInt8] {
        try spelling(of: .string(key), in: .compactJSON)
    }

    static func spelling(of value: SettingValue, in layout: TextLayout) throws(FormatError) -> [UInt8] {
        var writer = JSONWriter(layout)
        try writer.write(value)
        return writer.bytes
    }

    /// Skips a value without making one of it.
    mutating func skipValue() throws(FormatError) {
        var depth = 0
        repeat {
            switch peek() {
            case nil: throw failure("The text ends where a value is expected.")
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"): position += 1
            default: skipWord()
            }
            if depth > 0 { try skipSpace() }
        } while depth > 0
    }

    /// Skips a number, or a word such as `true`.
    private mutating func skipWord() {
        repeat { position += 1 } while position < bytes.count && !bytes[position].endsWord
    }

    private mutating func skipString() throws(FormatError) {
        let start = position
        position += 1
        while let byte = peek(), byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
        guard position < bytes.count else { throw failure("The string that starts here has no end.", at: start) }
        position += 1
    }
}

extension UInt8 {
    /// Whether it can't be part of a number or of a word.
    fileprivate var endsWord: Bool {
        switch self {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "{"),
            UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: isTextSpace
        }
    }
}
