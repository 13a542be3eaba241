/// A condition on a setting's value, as in `@Setting(.oneOf(["de", "en"])) var language = "en"`.
public struct SettingRule<Value: Sendable>: Sendable {
    let terms: any RuleConstraint<Value>

    init(_ terms: any RuleConstraint<Value>) {
        self.terms = terms
    }

    /// Text that completes "it must be …", such as "in 0...20".
    public var description: String { terms.words }

    /// Returns whether a value follows the rule. Called under the writer lock of a store.
    public func accepts(_ value: Value) -> Bool { terms.accepts(value) }
}

extension SettingRule {
    /// The value lies in a range.
    public static func range(_ range: some RangeExpression<Value> & Sendable) -> SettingRule {
        SettingRule(RangeConstraint(range: range))
    }

    /// The value is accepted by a closure, as in
    /// `@Setting(.check("an even number") { $0.isMultiple(of: 2) }) var width = 2`.
    ///
    /// The closure of an optional setting may take the value or the optional. One that takes the optional itself, such
    /// as `{ $0 != 5 }`, is called with `nil`, too.
    ///
    /// - Parameters:
    ///   - description: Text that completes "it must be …". It appears in errors and must not name a secret.
    ///   - accepts: Returns whether a value follows the rule. Quick, without waiting: it runs under a store's writer
    ///     lock.
    public static func check(
        _ description: String = "accepted by the setting's check", _ accepts: @escaping @Sendable (Value) -> Bool
    ) -> SettingRule {
        SettingRule(ClosureConstraint(words: description, check: accepts))
    }
}

extension SettingRule where Value: Equatable {
    /// The value is one of a list.
    public static func oneOf(_ values: [Value]) -> SettingRule {
        SettingRule(ChoiceConstraint(values: values))
    }

    /// The value is one of a list, with a title for each, as in
    /// `@Setting(.oneOf(["de": "Deutsch", "en": "English"])) var language = "en"`.
    ///
    /// A settings page shows the titles. Their order is that of the list.
    public static func oneOf(_ titles: KeyValuePairs<Value, String>) -> SettingRule {
        SettingRule(ChoiceConstraint(values: titles.map(\.key), titles: titles.map(\.value)))
    }
}

extension SettingRule where Value == String {
    /// The whole string matches a pattern. The pattern is made again for each check, because `Regex` is not `Sendable`.
    ///
    /// ``RuleDescription/pattern`` can't show such a pattern, only one that is given as text.
    ///
    /// - Parameters:
    ///   - pattern: Returns a regular expression.
    ///   - description: Text that completes "it must be …", such as "a word in lowercase letters". Errors and settings
    ///     pages show it.
    public static func matching(
        _ pattern: @autoclosure @escaping @Sendable () -> any RegexComponent, _ description: String? = nil
    ) -> SettingRule {
        SettingRule(RegexConstraint(regex: pattern, text: description))
    }

    /// The whole string matches a pattern that is given as text and so appears in errors, listings and schemas.
    ///
    /// - Parameters:
    ///   - pattern: A regular expression as Swift spells it. Opening a group with one that is not valid throws a
    ///     ``SettingsError`` with ``SettingsError/Code/invalidRule``.
    ///   - description: Text that completes "it must be …", such as "a word in lowercase letters". Errors and settings
    ///     pages show it instead of the pattern.
    public static func matching(_ pattern: String, _ description: String? = nil) -> SettingRule {
        SettingRule(PatternConstraint(pattern: pattern, text: description))
    }
}

extension SettingRule where Value: Collection {
    /// The number of characters, elements or entries lies in a range, such as `.count(1...64)`.
    public static func count(_ range: some RangeExpression<Int> & Sendable) -> SettingRule {
        SettingRule(CountConstraint(range: range) { $0 })
    }
}

extension SettingRule {
    /// The secret's number of characters or elements lies in a range, such as `.count(32...)`.
    public static func count<Revealed: Collection>(
        _ range: some RangeExpression<Int> & Sendable
    ) -> SettingRule where Value == Secret<Revealed> {
        SettingRule(CountConstraint(range: range) { $0.revealed })
    }
}
