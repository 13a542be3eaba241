/// How property lists, which have no null, spell it: as Foundation's encoder does.
///
/// The string of the same spelling gets a dollar sign in front, and so does every one that has been given some.
enum PropertyListNull {
    static let text = "$null"

    /// What a string in a property list means.
    static func value(of text: String) -> SettingValue {
        guard isNull(text) else { return .string(text) }
        return text.utf8.count == Self.text.utf8.count ? .null : .string(String(text.dropFirst()))
    }

    /// How a string is spelled in a property list.
    static func spelling(of text: String) -> String {
        isNull(text) ? "$" + text : text
    }

    /// Whether a string is "null" with one or more dollar signs in front.
    private static func isNull(_ text: String) -> Bool {
        guard text.utf8.first == UInt8(ascii: "$") else { return false }
        return text.utf8.drop { $0 == UInt8(ascii: "$") }.elementsEqual("null".utf8)
    }
}
