/// Finds single values in a file that is known to be right, without making values of all others.
struct JSONSearch {
    private var reader: JSONReader

    init(_ bytes: [UInt8]) { reader = JSONReader(bytes) }

    /// The value that is stored under that very name, or else where the dots in it lead.
    ///
    /// - Parameter key: Without backslashes and empty names.
    /// - Returns: `nil` if there is none, or if it is an array or a dictionary.
    mutating func scalar(at key: String) -> SettingValue? {
        reader.position = 0
        if enter(key) { return scalar() }
        reader.position = 0
        var rest = key[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            guard enter(String(rest[..<dot])) else { return nil }
            rest = rest[rest.utf8.index(after: dot)...]
        }
        // The whole name has been looked for.
        guard rest.utf8.count < key.utf8.count, enter(String(rest)) else { return nil }
        return scalar()
    }

    /// Goes to the value of a name in the object that begins here.
    private mutating func enter(_ name: String) -> Bool {
        guard reader.skip("{") else { return false }
        while true {
            reader.skipSpace()
            guard reader.peek() == UInt8(ascii: "\""), let found = try? reader.readString() else { return false }
            reader.skipSpace()
            guard reader.skip(":") else { return false }
            reader.skipSpace()
            if found.hasSameBytes(as: name) { return true }
            skipValue()
            reader.skipSpace()
            guard reader.skip(",") else { return false }
        }
    }

    private mutating func scalar() -> SettingValue? {
        switch reader.peek() {
        case UInt8(ascii: "{"), UInt8(ascii: "["): nil
        default: try? reader.readValue(depth: 1)
        }
    }

    /// Goes behind a value: to what closes it, or to what separates it from the next one.
    private mutating func skipValue() {
        var depth = 0
        while let byte = reader.peek() {
            switch byte {
            case UInt8(ascii: "\""): skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                reader.position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return }
                depth -= 1
                reader.position += 1
            case UInt8(ascii: ",") where depth == 0: return
            default: reader.position += 1
            }
        }
    }

    private mutating func skipString() {
        reader.position += 1
        while let byte = reader.peek(), byte != UInt8(ascii: "\"") {
            reader.position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        reader.position += 1
    }
}
