/// Spellings of a key where its own is not customary.
///
/// A name such as `attemptCount` has two words: a new one begins where an upper-case letter follows a lower-case one.
/// Anything but letters and digits separates words too. So the rule is that of swift-configuration, and a program can
/// have its variables read by either.
extension SettingKey {
    /// Such as `PASSCODE_ATTEMPT_COUNT`.
    var environmentSpelling: String {
        components.map { separated($0, by: "_").uppercased() }.joined(separator: "_")
    }

    /// Such as `passcode-attempt-count`.
    var kebabSpelling: String { kebabSpelling(joinedBy: "-") }

    /// Such as `passcode.attempt-count`.
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
