/// A whole string matches a pattern that is known as text. It is compiled again for each check, like
/// ``RegexConstraint``.
struct PatternConstraint: RuleConstraint {
    let pattern: String
    /// The declaration's own text; `nil` if it has none.
    let text: String?

    var words: String { text ?? "a match of the pattern \(pattern)" }

    var defect: String? {
        do {
            _ = try Regex(pattern)
            return nil
        } catch {
            return "“\(pattern)” is not a regular expression: \(error)"
        }
    }

    /// Nothing matches a pattern that can't be compiled.
    func accepts(_ string: String) -> Bool {
        guard let regex = try? Regex(pattern) else { return false }
        return isWholeMatch(string, of: regex)
    }

    func described(_ encode: (String) -> SettingValue?) -> RuleDescription {
        RuleDescription(.pattern, words, pattern: pattern, text: text)
    }
}
