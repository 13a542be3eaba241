/// How property lists, which have no null, represent it: as Foundation's encoder does.
///
/// A string of the same spelling gets a leading dollar sign, and so does every string that has received some already.
enum PropertyListNull {
    static let text = "$null"

    /// The value that a string in a property list stands for.
    static func value(of text: String) -> SettingValue {
        guard isNull(text) else { return .string(text) }
        return text.utf8.count == Self.text.utf8.count ? .null : .string(String(text.dropFirst()))
    }

    /// The spelling of a string in a property list.
    static func spelling(of text: String) -> String {
        isNull(text) ? "$" + text : text
    }

    /// Whether a string is "null" with one or more leading dollar signs.
    private static func isNull(_ text: String) -> Bool {
        guard text.utf8.first == UInt8(ascii: "$") else { return false }
        return text.utf8.drop { $0 == UInt8(ascii: "$") }.elementsEqual("null".utf8)
    }
}
