/// Finds the lines of the keys in an XML property list, and skips the values.
struct XMLKeyLineReader {
    private var scanner: XMLScanner
    private var counter = LineCounter()

    init(_ bytes: [UInt8]) { scanner = XMLScanner(bytes) }

    mutating func readFile() throws(FormatError) -> KeyLines {
        try scanner.skipProlog()
        guard case .start("plist", _) = try scanner.readTag() else {
            throw scanner.failure("A property list must start with <plist>.")
        }
        return try readValue(try scanner.readTag(), depth: 0)
    }

    /// - Returns: The lines within the value; none if it is no dictionary.
    private mutating func readValue(_ tag: XMLScanner.Tag, depth: Int) throws(FormatError) -> KeyLines {
        guard depth <= SettingValue.depthLimit else { throw scanner.failure(SettingValue.depthReason, rule: .limit) }
        switch tag {
        case .start("dict", _): return try readDictionary(depth: depth)
        case .start("array", _): try skipArray(depth: depth)
        case .start(let name, _): _ = try scanner.readText(of: name)
        case .empty: break
        case .end(_, let offset): throw scanner.failure("A value is expected here.", at: offset)
        }
        return KeyLines()
    }

    private mutating func readDictionary(depth: Int) throws(FormatError) -> KeyLines {
        var lines = KeyLines()
        while true {
            let (name, offset): (String, Int)
            switch try scanner.readTag() {
            case .end: return lines
            case .start("key", let start): (name, offset) = (try scanner.readText(of: "key"), start)
            case .empty(_, let start): (name, offset) = ("", start)
            case .start: throw scanner.failure("A <key> or </dict> is expected here.")
            }
            let line = counter.line(at: offset, in: scanner.bytes)
            lines.add(name, line: line, try readValue(try scanner.readTag(), depth: depth + 1))
        }
    }

    private mutating func skipArray(depth: Int) throws(FormatError) {
        while true {
            let tag = try scanner.readTag()
            if case .end = tag { return }
            _ = try readValue(tag, depth: depth + 1)
        }
    }
}
