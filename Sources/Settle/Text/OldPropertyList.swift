#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads property lists as they were before XML, such as `{ports = (80, 443); name = "a b";}`, which Apple's programs
/// accept in their arguments.
///
/// Numbers, dates and the like are strings here. Of two entries with the same key, the last one counts.
struct OldPropertyList {
    let bytes: [UInt8]
    var position = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The value of an argument: the text itself unless it begins like a property list and is one from end to end.
    static func value(of text: String) -> SettingValue {
        var reader = OldPropertyList(text)
        return reader.readArgument() ?? .string(text)
    }

    /// `nil` if it is none. Apple's programs treat an argument as a property list only if it begins with one of these
    /// characters, so that most text stays what it is.
    private mutating func readArgument() -> SettingValue? {
        skipSpace(withComments: false)
        let start = position
        guard let first = peek(), "{(<\"".utf8.contains(first), let value = readValue(depth: 0) else { return nil }
        skipSpace()
        if position == bytes.count { return value }
        guard case .string = value else { return nil }
        // A file of strings: a dictionary without its braces.
        position = start
        return readEntries(depth: 1).flatMap { position == bytes.count ? .dictionary($0) : nil }
    }

    private mutating func readValue(depth: Int) -> SettingValue? {
        skipSpace()
        if skip("{") { return readDictionary(depth: depth + 1) }
        if skip("(") { return readArray(depth: depth + 1) }
        if skip("<") { return readData() }
        return readString().map(SettingValue.string)
    }

    private mutating func readArray(depth: Int) -> SettingValue? {
        guard depth <= SettingValue.depthLimit else { return nil }
        var elements: [SettingValue] = []
        while !skipToken(")") {
            guard let element = readValue(depth: depth) else { return nil }
            elements.append(element)
            // A comma may also follow the last one.
            if !skipToken(",") { return skip(")") ? .array(elements) : nil }
        }
        return .array(elements)
    }

    private mutating func readDictionary(depth: Int) -> SettingValue? {
        guard depth <= SettingValue.depthLimit, let entries = readEntries(depth: depth), skip("}") else { return nil }
        return .dictionary(entries)
    }

    /// Reads entries up to a closing brace or the end. An entry without a value has its key as the value.
    private mutating func readEntries(depth: Int) -> SettingValue.Entries? {
        var entries = SettingValue.Entries()
        while true {
            skipSpace()
            guard let next = peek(), next != UInt8(ascii: "}") else { return entries }
            guard let key = readString() else { return nil }
            let value = skipToken("=") ? readValue(depth: depth) : .string(key)
            guard let value, skipToken(";") else { return nil }
            entries.updateValue(value, forKey: key)
        }
    }

    /// Reads pairs of hexadecimal digits, with space between the pairs only.
    private mutating func readData() -> SettingValue? {
        var data = Data()
        while true {
            skipSpace(withComments: false)
            if skip(">") { return .data(data) }
            guard position + 1 < bytes.count, let high = bytes[position].hexadecimalValue,
                let low = bytes[position + 1].hexadecimalValue
            else { return nil }
            data.append(high << 4 | low)
            position += 2
        }
    }
}
