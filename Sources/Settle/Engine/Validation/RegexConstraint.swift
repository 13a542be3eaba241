/// A whole string matches a regex from the sources. It is made again for each check, because `Regex` is not `Sendable`.
struct RegexConstraint: RuleConstraint {
    let regex: @Sendable () -> any RegexComponent
    /// The declaration's own text; `nil` if it has none.
    let text: String?

    var words: String { text ?? "a match of its pattern" }

    func accepts(_ string: String) -> Bool { isWholeMatch(string, of: regex()) }

    func described(_ encode: (String) -> SettingValue?) -> RuleDescription {
        RuleDescription(.pattern, words, text: text)
    }
}

func isWholeMatch(_ string: String, of pattern: some RegexComponent) -> Bool {
    string.wholeMatch(of: pattern) != nil
}
