/// Finds single values in a file that is known to be valid, without creating all others.
struct JSONSearch {
    private var reader: JSONReader

    init(_ bytes: [UInt8]) { reader = JSONReader(bytes, .commented) }

    /// Returns the value that is stored under that very name, or else at the path given by the dots in it.
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
        // The whole name has been searched for.
        guard rest.utf8.count < key.utf8.count, enter(String(rest)) else { return nil }
        return scalar()
    }

    /// Moves to the value of a name in the object that begins here.
    private mutating func enter(_ name: String) -> Bool {
        do throws(FormatError) {
            try reader.skipToRoot()
            guard reader.skip("{") else { return false }
            try reader.skipSpace()
            repeat {
                let found = try reader.readKey()
                try reader.skipColon()
                if found.hasSameBytes(as: name) { return true }
                try reader.skipValue()
            } while try reader.skipComma(or: "}", "")
        } catch {}
        return false
    }

    private mutating func scalar() -> SettingValue? {
        switch reader.peek() {
        case UInt8(ascii: "{"), UInt8(ascii: "["): nil
        default: try? reader.readValue(depth: 1)
        }
    }
}
