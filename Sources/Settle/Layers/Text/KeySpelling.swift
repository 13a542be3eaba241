/// Spellings of a key for uses where its own is not customary.
///
/// A name such as `attemptCount` has two words: a new one begins where an upper-case letter follows a lower-case one.
/// All characters but letters and digits separate words too. This is the rule of swift-configuration, so either library
/// can read a program's variables.
extension SettingKey {
    /// The spelling for variables, such as `PASSCODE_ATTEMPT_COUNT`.
    var environmentSpelling: String {
        components.map { separated($0, by: "_").uppercased() }.joined(separator: "_")
    }

    /// The spelling for options, such as `passcode-attempt-count`.
    var kebabSpelling: String { kebabSpelling(joinedBy: "-") }

    /// The spelling with dots, such as `passcode.attempt-count`.
    var dottedKebabSpelling: String { kebabSpelling(joinedBy: ".") }

    private func kebabSpelling(joinedBy separator: String) -> String {
        components.map { separated($0, by: "-").lowercased() }.joined(separator: separator)
    }
}

private func separated(_ name: String, by separator: Character) -> String {
    var text = ""
    var isAfterLowercase = false
    for character in name {
        if isAfterLowercase, character.isUppercase { text.append(separator) }
        text.append(character.isLetter || character.isNumber ? character : separator)
        isAfterLowercase = character.isLowercase
    }
    return text
}
