// Rules for optional settings. `nil` passes each of them.

extension SettingRule {
    /// The value, unless it is `nil`, follows a rule.
    public static func unlessNil<Wrapped>(_ rule: SettingRule<Wrapped>) -> SettingRule where Value == Wrapped? {
        SettingRule(OptionalConstraint(terms: rule.terms))
    }

    /// The value, unless it is `nil`, lies in a range.
    public static func range<Wrapped>(
        _ range: some RangeExpression<Wrapped> & Sendable
    ) -> SettingRule where Value == Wrapped? { .unlessNil(.range(range)) }

    /// The value, unless it is `nil`, is one of a list.
    public static func oneOf<Wrapped: Equatable>(_ values: [Wrapped]) -> SettingRule where Value == Wrapped? {
        .unlessNil(.oneOf(values))
    }

    /// The value, unless it is `nil`, is one of a list, with a title for each.
    public static func oneOf<Wrapped: Equatable>(
        _ titles: KeyValuePairs<Wrapped, String>
    ) -> SettingRule where Value == Wrapped? { .unlessNil(.oneOf(titles)) }

    /// The whole string, unless it is `nil`, matches a pattern.
    public static func matching(
        _ pattern: @autoclosure @escaping @Sendable () -> any RegexComponent, _ description: String? = nil
    ) -> SettingRule where Value == String? { .unlessNil(.matching(pattern(), description)) }

    /// The whole string, unless it is `nil`, matches a pattern that is given as text.
    public static func matching(
        _ pattern: String, _ description: String? = nil
    ) -> SettingRule where Value == String? { .unlessNil(.matching(pattern, description)) }

    /// The number of characters, elements or entries, unless the value is `nil`, lies in a range.
    public static func count<Wrapped: Collection>(
        _ range: some RangeExpression<Int> & Sendable
    ) -> SettingRule where Value == Wrapped? { .unlessNil(.count(range)) }

    /// The secret's number of characters or elements, unless there is none, lies in a range.
    public static func count<Revealed: Collection>(
        _ range: some RangeExpression<Int> & Sendable
    ) -> SettingRule where Value == Secret<Revealed>? { .unlessNil(.count(range)) }

    /// The value, unless it is `nil`, is accepted by a closure that takes no optional.
    @_disfavoredOverload
    public static func check<Wrapped>(
        _ description: String = "accepted by the setting's check", _ accepts: @escaping @Sendable (Wrapped) -> Bool
    ) -> SettingRule where Value == Wrapped? { .unlessNil(.check(description, accepts)) }
}
