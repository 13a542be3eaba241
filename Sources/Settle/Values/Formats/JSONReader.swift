/// Reads one JSON file or value. Positions in its errors are byte offsets.
struct JSONReader {
    /// The syntax accepted beside the JSON of RFC 8259.
    enum Dialect {
        case strict
        /// Comments, from `//` to the end of the line and between `/*` and `*/`, wherever white space may be, and a
        /// comma after the last entry or element.
        case commented
    }

    let bytes: [UInt8]
    let dialect: Dialect
    private let duplicateKeys: DuplicateKeyRule
    var position = 0
    /// The entries of all open objects, innermost last. One stack for all of them saves the dictionaries from growing
    /// step by step, which would hash every key twice.
    private var entries: [(key: String, value: SettingValue, offset: Int)] = []

    /// `nil` if the lines of the keys are not needed.
    let lines: KeyLineRecorder?

    init(
        _ bytes: [UInt8], _ dialect: Dialect = .strict, duplicateKeys: DuplicateKeyRule = .refused,
        recordsLines: Bool = false
    ) {
        self.bytes = bytes
        self.dialect = dialect
        self.duplicateKeys = duplicateKeys
        lines = recordsLines ? KeyLineRecorder() : nil
    }

    mutating func readFile() throws(FormatError) -> SettingTree {
        try skipToRoot()
        guard let first = peek() else {
            throw failure("The file is empty; a file without settings is {}.")
        }
        guard first == UInt8(ascii: "{") else {
            throw failure("A settings file must start with {.")
        }
        // A short entry takes about 32 bytes. Growing step by step would leave the smaller arrays as gaps among the
        // names, which the process keeps. Room that stays unused takes no memory.
        entries.reserveCapacity(min(bytes.count / 32, 1 << 17))
        let root = try readObject(depth: 1)
        try skipSpace()
        guard position == bytes.count else {
            throw failure("There is something after the end of the settings.")
        }
        return SettingTree(root)
    }

    /// Reads a text that is one value of any kind.
    mutating func readFragment() throws(FormatError) -> SettingValue {
        try skipSpace()
        guard peek() != nil else { throw failure("The text is empty; a missing value is null.") }
        let value = try readValue(depth: 0)
        try skipSpace()
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

    /// Skips white space and comments.
    mutating func skipSpace() throws(FormatError) {
        while position < bytes.count {
            let byte = bytes[position]
            if byte.isTextSpace {
                position += 1
            } else if byte == UInt8(ascii: "/") {
                position = try commentEnd()
            } else {
                return
            }
        }
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
        try skipSpace()
        var elements: [SettingValue] = []
        if skip("]") { return elements }
        repeat {
            elements.append(try readValue(depth: depth))
        } while try skipComma(or: "]", "A comma or ] is expected here.")
        lines?.endArray()
        return elements
    }

    private mutating func readObject(depth: Int) throws(FormatError) -> SettingValue.Entries {
        try checkDepth(depth)
        position += 1
        try skipSpace()
        if skip("}") { return [:] }
        let firstEntry = entries.count
        repeat {
            readSimpleEntries()
            let keyOffset = position
            let key = try readKey()
            try skipColon()
            lines?.beginKey(key, at: keyOffset, in: bytes)
            entries.append((key, try readValue(depth: depth), keyOffset))
            lines?.endKey()
        } while try skipComma(or: "}", "A comma or } is expected here.")
        return try closeObject(from: firstEntry)
    }

    /// Reads the entries from here on that are simple, as nearly all in most files. The first other one, and the last
    /// one of the object, are left to the caller, with all errors.
    private mutating func readSimpleEntries() {
        // A recorder gets each key by itself.
        guard lines == nil else { return }
        let bytes = bytes
        position = bytes.withUnsafeBytes { bytes in
            let text = SimpleJSON(bytes: bytes)
            var start = position
            while let (keyRange, valueRange, next) = text.entry(at: start), let value = text.value(at: valueRange),
                let key = text.string(at: keyRange)
            {
                entries.append((key, value, start))
                start = next
            }
            return start
        }
    }

    mutating func readKey() throws(FormatError) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw failure("A key in quotation marks is expected here.") }
        return try readString()
    }

    mutating func skipColon() throws(FormatError) {
        try skipSpace()
        // Don't quote the key: it may be a value whose key is missing.
        guard skip(":") else { throw failure("A colon is expected after this key.") }
        try skipSpace()
    }

    /// Skips the comma or bracket after an entry or an element.
    ///
    /// - Returns: Whether another one follows. If not, the bracket has been skipped.
    mutating func skipComma(or bracket: Unicode.Scalar, _ reason: String) throws(FormatError) -> Bool {
        try skipSpace()
        if skip(bracket) { return false }
        let comma = position
        guard skip(",") else { throw failure(reason) }
        try skipSpace()
        guard peek() == UInt8(ascii: bracket) else { return true }
        guard dialect == .commented else { throw failure("A trailing comma is not allowed here.", at: comma) }
        position += 1
        return false
    }

    private mutating func closeObject(from firstEntry: Int) throws(FormatError) -> SettingValue.Entries {
        var object = SettingValue.Entries(minimumCapacity: entries.count - firstEntry)
        for index in firstEntry..<entries.count {
            // Moved all the way, not copied: counting a reference to each key took a quarter of the time of a load.
            var (key, value) = ("", SettingValue.null)
            swap(&key, &entries[index].key)
            swap(&value, &entries[index].value)
            guard duplicateKeys.set(consume value, forKey: consume key, in: &object) else {
                position = entries[index].offset
                let key = try readKey()
                throw failure("The key “\(key)” occurs twice.", rule: .duplicateKey, at: entries[index].offset)
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
