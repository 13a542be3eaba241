/// Reads one JSON file or value. Places in its errors are byte offsets.
struct JSONReader {
    let bytes: [UInt8]
    var position = 0
    /// The entries of all open objects, innermost last. One stack for all of them saves the dictionaries from growing
    /// step by step, which would hash every key twice.
    private var entries: [(key: String, value: SettingValue, offset: Int)] = []

    /// `nil` if nobody asks for the lines of the keys.
    let lines: KeyLineRecorder?

    init(_ bytes: [UInt8], recordsLines: Bool = false) {
        self.bytes = bytes
        lines = recordsLines ? KeyLineRecorder() : nil
    }

    mutating func readFile() throws(FormatError) -> SettingTree {
        if bytes.starts(with: utf8ByteOrderMark) { position = utf8ByteOrderMark.count }
        skipSpace()
        guard let first = peek() else {
            throw failure("The file is empty; a file without settings is {}.")
        }
        guard first == UInt8(ascii: "{") else {
            throw failure("A settings file must start with {.")
        }
        let root = try readObject(depth: 1)
        skipSpace()
        guard position == bytes.count else {
            throw failure("There is something after the end of the settings.")
        }
        return SettingTree(root)
    }

    /// Reads a text that is one value of any kind.
    mutating func readFragment() throws(FormatError) -> SettingValue {
        skipSpace()
        guard peek() != nil else { throw failure("The text is empty; a missing value is null.") }
        let value = try readValue(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw failure("There is something after the end of the value.") }
        return value
    }

    func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    /// Skips `byte` if it is next.
    mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    func failure(
        _ reason: String, rule: FormatError.Rule = .syntax, at offset: Int? = nil
    ) -> FormatError {
        FormatError(rule, atByte: offset ?? position, reason)
    }

    mutating func skipSpace() {
        while position < bytes.count, bytes[position].isTextSpace { position += 1 }
    }

    mutating func readValue(depth: Int) throws(FormatError) -> SettingValue {
        switch peek() {
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "{"): return .dictionary(try readObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        case let byte? where byte.isDigit || byte == UInt8(ascii: "-"): return try readNumber()
        case nil: throw failure("The text ends where a value is expected.")
        default: throw failure("A value is expected here.")
        }
    }

    private mutating func readWord(_ word: StaticString, _ value: SettingValue) throws(FormatError) -> SettingValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[position..<end].elementsEqual(word.description.utf8) else {
            throw failure("A value is expected here.")
        }
        position = end
        return value
    }

    private mutating func readArray(depth: Int) throws(FormatError) -> [SettingValue] {
        try checkDepth(depth)
        position += 1
        skipSpace()
        var elements: [SettingValue] = []
        if skip("]") { return elements }
        while true {
            elements.append(try readValue(depth: depth))
            skipSpace()
            if skip("]") {
                lines?.endArray()
                return elements
            }
            guard skip(",") else { throw failure("A comma or ] is expected here.") }
            skipSpace()
        }
    }

    private mutating func readObject(depth: Int) throws(FormatError) -> SettingValue.Entries {
        try checkDepth(depth)
        position += 1
        skipSpace()
        if skip("}") { return [:] }
        let firstEntry = entries.count
        while true {
            let keyOffset = position
            guard peek() == UInt8(ascii: "\"") else { throw failure("A key in quotation marks is expected here.") }
            let key = try readString()
            skipSpace()
            // Don't quote the key: it may be a value whose key is missing.
            guard skip(":") else { throw failure("A colon is expected after this key.") }
            skipSpace()
            lines?.beginKey(key, at: keyOffset, in: bytes)
            entries.append((key, try readValue(depth: depth), keyOffset))
            lines?.endKey()
            skipSpace()
            if skip("}") { return try closeObject(from: firstEntry) }
            guard skip(",") else { throw failure("A comma or } is expected here.") }
            skipSpace()
        }
    }

    private mutating func closeObject(from firstEntry: Int) throws(FormatError) -> SettingValue.Entries {
        var object = SettingValue.Entries(minimumCapacity: entries.count - firstEntry)
        for index in firstEntry..<entries.count {
            let (key, value, offset) = entries[index]
            guard object.updateValue(value, forKey: key) == nil else {
                throw failure("The key “\(key)” occurs twice.", rule: .duplicateKey, at: offset)
            }
        }
        entries.removeSubrange(firstEntry...)
        return object
    }

    private func checkDepth(_ depth: Int) throws(FormatError) {
        guard depth <= SettingValue.depthLimit else {
            throw failure(SettingValue.depthReason, rule: .limit)
        }
    }
}
