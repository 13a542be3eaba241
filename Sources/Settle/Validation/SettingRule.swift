/// What a setting's value must be.
public struct SettingRule<Value: Sendable>: Sendable {
    /// Words that complete "it must be …", such as "in 0...20".
    public let description: String
    /// Whether a value follows the rule. Called under the lock of a store's writers: it must be quick and must not wait.
    public let accepts: @Sendable (Value) -> Bool

    public init(_ description: String, accepts: @escaping @Sendable (Value) -> Bool) {
        self.description = description
        self.accepts = accepts
    }

    /// The value lies in a range.
    public static func range(_ range: some RangeExpression<Value> & Sendable) -> SettingRule {
        SettingRule(isSecret ? "in a range" : "in \(spelling(of: range))") { range.contains($0) }
    }

    /// Whether the values are not to be shown, so those that the rule names neither.
    fileprivate static var isSecret: Bool { Value.self is any SecretValue.Type }

    /// A range as it is written in Swift; the standard library spells one-sided ranges with the names of their types.
    private static func spelling<Bound: Comparable>(of range: some RangeExpression<Bound>) -> String {
        switch range {
        case let range as PartialRangeFrom<Bound>: "\(range.lowerBound)..."
        case let range as PartialRangeThrough<Bound>: "...\(range.upperBound)"
        case let range as PartialRangeUpTo<Bound>: "..<\(range.upperBound)"
        default: "\(range)"
        }
    }
}

extension SettingRule where Value: Equatable {
    /// The value is one of a list.
    public static func oneOf(_ values: [Value]) -> SettingRule {
        let list = isSecret ? "\(values.count) values" : values.map { "\($0)" }.joined(separator: ", ")
        return SettingRule("one of \(list)") { values.contains($0) }
    }
}

extension SettingRule where Value == String {
    /// The whole string matches a pattern. The pattern is made anew for each check, since `Regex` is not `Sendable`.
    public static func matching(_ pattern: @escaping @Sendable () -> any RegexComponent) -> SettingRule {
        SettingRule("a match of its pattern") { isWhole($0, match: pattern()) }
    }

    private static func isWhole(_ string: String, match pattern: some RegexComponent) -> Bool {
        string.wholeMatch(of: pattern) != nil
    }
}
