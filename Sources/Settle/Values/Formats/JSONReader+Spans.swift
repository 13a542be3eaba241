extension JSONReader: TextSyntax {
    static var layout: TextLayout { .json }
    static var hasCommas: Bool { true }
    static var brackets: (opening: String, closing: String) { ("{", "}") }
    static var gap: [UInt8] { Array(" ".utf8) }
    static func joint(in layout: TextLayout) -> [UInt8] { Array(": ".utf8) }

    var firstLineBreak: Int? { bytes.firstIndex(of: UInt8(ascii: "\n")) }

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
                position = spans.addSimpleEntries(of: bytes, from: position)
                let keyStart = position
                let isPlain = try skipString()
                let key = keyStart..<position
                try skipColon()
                let valueStart = position
                try skipValue()
                let value = valueStart..<position
                spans.entries.append(DictionarySpans.Entry(key: key, value: value, isPlain: isPlain))
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

    mutating func name(of entry: DictionarySpans.Entry) throws(FormatError) -> String {
        position = entry.start
        return try readKey()
    }

    mutating func value(ofOnly name: String) throws(FormatError) -> Int? {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isPlain, let end = QuotedSearch(name).onlyEnd(in: bytes) else { return nil }
        position = end
        try skipColon()
        return position
    }

    func comma(behind entry: DictionarySpans.Entry) -> Int? {
        var position = entry.value.upperBound
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: ",") { return position }
            if let end = commentEnd(at: position) {
                position = end
            } else if bytes[position].isTextSpace {
                position += 1
            } else {
                return nil
            }
        }
        return nil
    }

    func commentEnd(at position: Int) -> Int? { Self.commentEnd(in: bytes, at: position) }

    static func spelling(of key: String) throws(FormatError) -> [UInt8] {
        try spelling(of: .string(key), in: .compactJSON)
    }

    static func spelling(of value: SettingValue, in layout: TextLayout) throws(FormatError) -> [UInt8] {
        var writer = JSONWriter(layout)
        try writer.write(value)
        return writer.spelling
    }

    /// Skips a value without creating it.
    mutating func skipValue() throws(FormatError) {
        var depth = 0
        repeat {
            switch peek() {
            case nil: throw failure("The text ends where a value is expected.")
            case UInt8(ascii: "\""): _ = try skipString()
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

    /// - Returns: Whether it has no escapes.
    private mutating func skipString() throws(FormatError) -> Bool {
        var isPlain = true
        var end = position + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            if bytes[end] == UInt8(ascii: "\\") { (isPlain, end) = (false, end + 1) }
            end += 1
        }
        guard end < bytes.count else { throw failure("The string that starts here has no end.") }
        position = end + 1
        return isPlain
    }
}

extension UInt8 {
    /// Whether it can't be part of a number or of a word.
    var endsWord: Bool {
        switch self {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "{"),
            UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: isTextSpace
        }
    }
}
