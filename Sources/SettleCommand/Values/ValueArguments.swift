import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the value of `write`: with a flag for its type, or as a property list, as `defaults` does.
struct ValueArguments {
    private var words: ArraySlice<String>
    private let isDefaults: Bool

    /// - Parameters:
    ///   - check: The declaration, which determines the meaning of a text without a flag.
    ///   - stored: The value to which `-array-add` and `-dict-add` add.
    ///   - isDefaults: Whether a word means what it does to the command `defaults`: hyphens may begin a part of an array
    ///     or a dictionary, and escapes such as `\U2193` count in a text without a flag, and in the key of an entry.
    static func value(
        _ words: [String], for check: SchemaCheck?, stored: SettingValue?, isDefaults: Bool
    ) throws(CommandFailure) -> SettingValue {
        var reader = ValueArguments(words: words[...], isDefaults: isDefaults)
        let value = try reader.read(for: check, stored)
        guard reader.words.isEmpty else {
            throw CommandFailure(.usage, "Unexpected argument “\(reader.words.first ?? "")”; nothing has changed.")
        }
        return value
    }

    private mutating func read(
        for check: SchemaCheck?, _ stored: SettingValue?
    ) throws(CommandFailure) -> SettingValue {
        guard let first = words.first else { throw CommandFailure(.usage, "The value is missing.") }
        guard let flag = ValueFlag(rawValue: first) else {
            words = words.dropFirst()
            guard let check else { return try value(of: first) }
            return DeclaredText.value(of: first, for: check, separatesLists: true)
        }
        guard flag.isContainer else { return try scalar() }
        words = words.dropFirst()
        switch flag {
        case .array: return .array(try elements())
        case .arrayAdd:
            guard case .array(let old)? = stored ?? .array([]) else {
                throw CommandFailure(.refused, "The stored value is not an array; cannot append. Nothing has changed.")
            }
            return .array(old + (try elements()))
        case .dictionaryAdd:
            guard case .dictionary(let old)? = stored ?? .dictionary([:]) else {
                throw CommandFailure(
                    .refused, "The stored value is not a dictionary; cannot append. Nothing has changed.")
            }
            return .dictionary(old.merging(try entries()) { $1 })
        default: return .dictionary(try entries())
        }
    }

    /// Reads a value with or without a flag, as in a container.
    private mutating func scalar() throws(CommandFailure) -> SettingValue {
        guard let word = words.popFirst() else { throw CommandFailure(.usage, "A value is missing.") }
        guard let flag = ValueFlag(rawValue: word) else { return try value(of: word) }
        guard !flag.isContainer else {
            throw CommandFailure(.usage, "“\(word)” can't be part of a value; write it as a property list.")
        }
        guard let text = words.popFirst() else { throw CommandFailure(.usage, "The value of “\(word)” is missing.") }
        guard let value = Self.value(of: text, flag) else {
            throw CommandFailure(.refused, "“\(text)” is not a value for \(word): \(flag.help)")
        }
        return value
    }

    private mutating func elements() throws(CommandFailure) -> [SettingValue] {
        try checkOptions()
        var elements: [SettingValue] = []
        while !words.isEmpty { elements.append(try scalar()) }
        return elements
    }

    /// Checks the options. The elements extend to the end of the command, so an option among them is a mistake. After
    /// `--` nothing is an option.
    private mutating func checkOptions() throws(CommandFailure) {
        guard !isDefaults else { return }
        var isText = false
        for (index, word) in zip(words.indices, words) {
            if isText {
                // The argument after a flag is always a value.
                isText = false
            } else if word == "--" {
                words.remove(at: index)
                return
            } else if word.hasPrefix("--") {
                throw CommandFailure(
                    .usage,
                    "“\(word)” would become part of the value. Put options before the key, and a part that begins with "
                        + "hyphens after “--”.")
            } else {
                isText = ValueFlag(rawValue: word) != nil
            }
        }
    }

    private mutating func entries() throws(CommandFailure) -> SettingValue.Entries {
        try checkOptions()
        // `-dict` may also have one property list.
        if words.count == 1, case .dictionary(let entries) = try Self.propertyList(words.first ?? "") {
            words = []
            return entries
        }
        var entries = SettingValue.Entries()
        while !words.isEmpty {
            let key = try nextKey()
            guard !words.isEmpty else { throw CommandFailure(.usage, "The value for “\(key)” is missing.") }
            entries[key] = try scalar()
        }
        return entries
    }

    private mutating func nextKey() throws(CommandFailure) -> String {
        guard let word = words.first, isDefaults else { return words.removeFirst() }
        guard case .string(let key) = try scalar() else {
            throw CommandFailure(.refused, "“\(word)” can't be the key of an entry: it must be a string.")
        }
        return key
    }

    /// Returns the value of a word without a flag.
    private func value(of word: String) throws(CommandFailure) -> SettingValue {
        guard isDefaults, word.contains("\\"), !word.utf8.contains(where: { "\"()[]{}<>".utf8.contains($0) }) else {
            return try Self.propertyList(word)
        }
        // `defaults` reads it as a property list in quotation marks. One whose last backslash escapes these is a text.
        let quoted = "\"\(word)\""
        let value = try Self.propertyList(quoted)
        return value == .string(quoted) ? .string(word) : value
    }

    /// Returns the value of an argument without a flag: a property list in either form, or the text itself.
    static func propertyList(_ text: String) throws(CommandFailure) -> SettingValue {
        do throws(FormatError) {
            return try PropertyListArgument.value(of: text)
        } catch {
            throw CommandFailure(
                .refused,
                "The value begins like an XML property list, but is not one: \(error) Use -string to store it as text. "
                    + "Nothing has changed.")
        }
    }

    private static func value(of text: String, _ flag: ValueFlag) -> SettingValue? {
        switch flag {
        case .string: .string(text)
        case .data: data(text)
        case .int, .integer: integer(text)
        case .float, .real: real(text)
        case .bool, .boolean: TextReading.bool.value(of: text)
        case .date: date(text)
        case .array, .arrayAdd, .dictionary, .dictionaryAdd: nil
        }
    }

    private static func integer(_ text: String) -> SettingValue? {
        if let integer = Int64(text) { return .integer(integer) }
        guard let number = TextReading.number.value(of: text), case .number = number else { return nil }
        return text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39) } ? number : nil
    }

    /// Reads a real. One that is too large would be stored as infinity.
    private static func real(_ text: String) -> SettingValue? {
        guard let number = Double(text) else { return nil }
        return number.isFinite || !text.contains(where: \.isNumber) ? .real(number) : nil
    }

    private static func data(_ text: String) -> SettingValue? {
        let digits = text.utf8.filter { !" <>".utf8.contains($0) }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return .data(Data(bytes))
    }

    /// Reads a date in ISO 8601, or as `defaults` prints it.
    private static func date(_ text: String) -> SettingValue? {
        if let date = TextReading.date.value(of: text) { return date }
        let parts = text.split(separator: " ")
        guard parts.count == 3, parts[2].count == 5 else { return nil }
        let zone = parts[2].prefix(3) + ":" + parts[2].suffix(2)
        return TextReading.date.value(of: "\(parts[0])T\(parts[1])\(zone == "+00:00" ? "Z" : zone)")
    }
}
