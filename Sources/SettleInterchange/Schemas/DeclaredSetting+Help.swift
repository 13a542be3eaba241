import Settle

extension SettingsSchema {
    /// The beginning of the sentence about the rules, which a description has after the help text.
    static let demandStart = "It must be "
}

extension DeclaredSetting {
    /// The help text: the description without the sentence that a store's schema adds for the rules. `nil` if it is
    /// empty.
    ///
    /// The help may have such a sentence of its own, so only one that states these rules is removed. The schema may have
    /// given the help a full stop.
    package var help: String? {
        guard let words, words.hasSuffix(".") else { return words }
        let rules = rules
        for range in words.ranges(of: SettingsSchema.demandStart).reversed() {
            let help = words[..<range.lowerBound]
            guard help.isEmpty || help.hasSuffix(" "), rules.areStated(in: words[range.upperBound...].dropLast())
            else { continue }
            return help.isEmpty ? nil : String(help.dropLast())
        }
        return words
    }
}

extension [RuleDescription] {
    /// Returns whether a text is what a store's schema states of the rules, as completes “It must be …”.
    fileprivate func areStated(in text: Substring) -> Bool {
        guard !isEmpty, !text.isEmpty else { return false }
        var rest = String(text)
        for rule in self where !rule.description.isEmpty {
            guard let range = rest.firstRange(of: rule.description) else { return false }
            rest.removeSubrange(range)
        }
        // The keywords of the other rules have no text, but it begins and ends by kind.
        let choices = compactMap(\.cases).map { cases in cases.count(where: { $0 != .null }) }.min()
        return rest.split(separator: ", and ").allSatisfy { Self.isStatement($0, choices: choices) }
    }

    /// - Parameter choices: The number of allowed values; `nil` without a list.
    private static func isStatement(_ text: Substring, choices: Int?) -> Bool {
        if text.hasPrefix("in ") { return text.contains("...") || text.contains("..<") || text == "in a range" }
        if text.hasPrefix("a match of ") { return true }
        if text.hasPrefix("of ") {
            let units = ["character", "byte", "entry", "element", "characters", "bytes", "entries", "elements"]
            return units.contains { text.hasSuffix(" \($0)") }
        }
        guard let choices, text.hasPrefix("one of ") else { return false }
        return text.hasSuffix(" values") || text.split(separator: ", ").count >= choices
    }
}
