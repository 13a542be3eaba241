/// A whole string matches a regex from the sources. It is made anew for each check, because `Regex` is not `Sendable`.
struct RegexTerms: RuleTerms {
    let regex: @Sendable () -> any RegexComponent

    var words: String { "a match of its pattern" }

    func accepts(_ string: String) -> Bool { isWhole(string, match: regex()) }

    func described(_ encode: (String) -> SettingValue?) -> RuleDescription { RuleDescription(.pattern, words) }
}

func isWhole(_ string: String, match pattern: some RegexComponent) -> Bool {
    string.wholeMatch(of: pattern) != nil
}
