/// Finds the lines of the keys in a JSON file, and skips the values.
struct JSONKeyLineReader {
    private var reader: JSONReader
    private var counter = LineCounter()

    init(_ bytes: [UInt8]) { reader = JSONReader(bytes) }

    mutating func readFile() throws(FormatError) -> KeyLines {
        if reader.bytes.starts(with: utf8ByteOrderMark) { reader.position = utf8ByteOrderMark.count }
        skipSpace()
        return try readValue(depth: 0)
    }

    /// - Returns: The lines within the value; none if it is no object.
    private mutating func readValue(depth: Int) throws(FormatError) -> KeyLines {
        guard depth <= SettingValue.depthLimit else { throw reader.failure(SettingValue.depthReason, rule: .limit) }
        switch reader.peek() {
        case UInt8(ascii: "{"): return try readObject(depth: depth)
        case UInt8(ascii: "["): try skipArray(depth: depth)
        case UInt8(ascii: "\""): _ = try reader.readString()
        case nil: throw reader.failure("The text ends where a value is expected.")
        default: skipWord()
        }
        return KeyLines()
    }

    private mutating func readObject(depth: Int) throws(FormatError) -> KeyLines {
        var lines = KeyLines()
        reader.position += 1
        skipSpace()
        if reader.skip("}") { return lines }
        while true {
            let line = counter.line(at: reader.position, in: reader.bytes)
            guard reader.peek() == UInt8(ascii: "\"") else { throw reader.failure("A key is expected here.") }
            let name = try reader.readString()
            skipSpace()
            guard reader.skip(":") else { throw reader.failure("A colon is expected after this key.") }
            skipSpace()
            lines.add(name, line: line, try readValue(depth: depth + 1))
            skipSpace()
            if reader.skip("}") { return lines }
            guard reader.skip(",") else { throw reader.failure("A comma or } is expected here.") }
            skipSpace()
        }
    }

    private mutating func skipArray(depth: Int) throws(FormatError) {
        reader.position += 1
        skipSpace()
        if reader.skip("]") { return }
        while true {
            _ = try readValue(depth: depth + 1)
            skipSpace()
            if reader.skip("]") { return }
            guard reader.skip(",") else { throw reader.failure("A comma or ] is expected here.") }
            skipSpace()
        }
    }

    private mutating func skipSpace() {
        while let byte = reader.peek(), byte.isTextSpace { reader.position += 1 }
    }

    /// Skips a number, `true`, `false` or `null`. Whoever reads the value finds out whether it is one.
    private mutating func skipWord() {
        while let byte = reader.peek(), !byte.isTextSpace, !Self.separators.contains(byte) { reader.position += 1 }
    }

    private static let separators = Array(",]}".utf8)
}
