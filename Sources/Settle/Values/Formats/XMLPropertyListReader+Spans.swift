extension XMLPropertyListReader: TextSyntax {
    var bytes: [UInt8] { scanner.bytes }
    static var layout: TextLayout { .propertyList }
    static var hasCommas: Bool { false }
    static var brackets: (opening: String, closing: String) { ("<dict>", "</dict>") }
    static var gap: [UInt8] { [] }

    static func joint(in layout: TextLayout) -> [UInt8] {
        layout.isOneLine ? [] : layout.lineBreak + layout.indentation
    }

    /// Between two tags, each of which may be a comment.
    var firstLineBreak: Int? {
        var last: UInt8?
        var place: Int?
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\n") { place = place ?? index }
            guard !byte.isTextSpace else { continue }
            if let place, last == UInt8(ascii: ">"), byte == UInt8(ascii: "<") { return place }
            (last, place) = (byte, nil)
        }
        return nil
    }

    mutating func root() throws(FormatError) -> Int {
        scanner.position = 0
        try scanner.skipProlog()
        _ = try scanner.readTag()
        try scanner.skipSpaceAndComments()
        return scanner.position
    }

    mutating func dictionary(at start: Int) throws(FormatError) -> DictionarySpans? {
        scanner.position = start
        guard case .start("dict", _) = try scanner.readTag() else { return nil }
        var spans = DictionarySpans(interior: scanner.position..<scanner.position)
        while true {
            let keyStart: Int
            switch try scanner.readTag() {
            case .start("key", let offset):
                _ = try scanner.readText(of: "key")
                keyStart = offset
            case .empty(_, let offset): keyStart = offset
            case .start(_, let offset), .end(_, let offset):
                spans.interior = spans.interior.lowerBound..<offset
                return spans
            }
            let key = keyStart..<scanner.position
            try scanner.skipSpaceAndComments()
            let valueStart = scanner.position
            try skipElement()
            spans.entries.append(DictionarySpans.Entry(key: key, value: valueStart..<scanner.position))
        }
    }

    mutating func value(at start: Int) throws(FormatError) -> (value: SettingValue, end: Int) {
        scanner.position = start
        return (try readValue(try scanner.readTag(), 0), scanner.position)
    }

    mutating func name(of entry: DictionarySpans.Entry) throws(FormatError) -> String {
        scanner.position = entry.start
        guard case .start = try scanner.readTag() else { return "" }
        return try scanner.readText(of: "key")
    }

    // Names may have comments and references in them.
    mutating func value(ofOnly name: String) -> Int? { nil }

    func comma(behind entry: DictionarySpans.Entry) -> Int? { nil }

    func commentEnd(at position: Int) -> Int? { scanner.commentEnd(at: position) }

    static func spelling(of key: String) throws(FormatError) -> [UInt8] {
        try XMLPropertyListWriter.spelling(ofKey: key)
    }

    static func spelling(of value: SettingValue, in layout: TextLayout) throws(FormatError) -> [UInt8] {
        var writer = XMLPropertyListWriter(layout)
        try writer.write(value)
        return writer.fragment()
    }

    /// Skips an element with everything in it.
    private mutating func skipElement() throws(FormatError) {
        var depth = 0
        repeat {
            switch try scanner.readTag() {
            case .start("dict", _), .start("array", _): depth += 1
            case .start(let name, _): _ = try scanner.readText(of: name)
            case .end: depth -= 1
            case .empty: break
            }
        } while depth > 0
    }
}
