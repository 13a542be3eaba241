/// How property lists, which have no null, spell it: as Foundation's encoder does.
enum PropertyListNull {
    static let text = "$null"

    /// What a string in a property list means.
    static func value(of text: String) -> SettingValue {
        text == Self.text ? .null : .string(text)
    }

    /// - Throws: for the one string that would come back as null.
    static func check(_ text: String) throws(FormatError) {
        guard text != Self.text else {
            throw FormatError(
                .unsupportedValue, at: .key(""), "A property list cannot store the string \"$null\", which means null.")
        }
    }
}
