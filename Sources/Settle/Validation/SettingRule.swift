#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A condition on a setting's value.
public struct SettingRule<Value: Sendable>: Sendable {
    /// Words that complete "it must be …", such as "in 0...20".
    public let description: String
    /// Whether a value follows the rule. Called under the writer lock of a store: it must be quick and must not wait.
    public let accepts: @Sendable (Value) -> Bool

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - description: Words that complete "it must be …". They appear in errors and must not name a secret.
    ///   - accepts: Whether a value follows the rule. Quick, without waiting: it runs under a store's writer lock.
    public init(_ description: String, accepts: @escaping @Sendable (Value) -> Bool) {
        self.description = description
        self.accepts = accepts
    }

    /// The value lies in a range.
    public static func range(_ range: some RangeExpression<Value> & Sendable) -> SettingRule {
        SettingRule(isSecret ? "in a range" : "in \(spelling(of: range))") { range.contains($0) }
    }

    /// Whether the values are not to be shown, so the rule must not name any either.
    fileprivate static var isSecret: Bool { Value.self is any SecretValue.Type }
}

/// A range as written in Swift; the standard library spells one-sided ranges with the names of their types.
private func spelling<Bound: Comparable>(of range: some RangeExpression<Bound>) -> String {
    switch range {
    case let range as PartialRangeFrom<Bound>: "\(range.lowerBound)..."
    case let range as PartialRangeThrough<Bound>: "...\(range.upperBound)"
    case let range as PartialRangeUpTo<Bound>: "..<\(range.upperBound)"
    default: "\(range)"
    }
}

extension SettingRule where Value: Equatable {
    /// The value is one of a list.
    public static func oneOf(_ values: [Value]) -> SettingRule {
        let names = values.map { unwrappedSpelling(of: $0) }.joined(separator: ", ")
        return SettingRule("one of \(isSecret ? "\(values.count) values" : names)") { values.contains($0) }
    }
}

extension SettingRule where Value == String {
    /// The whole string matches a pattern. The pattern is made anew for each check, because `Regex` is not `Sendable`.
    public static func matching(_ pattern: @escaping @Sendable () -> any RegexComponent) -> SettingRule {
        SettingRule("a match of its pattern") { isWhole($0, match: pattern()) }
    }

    private static func isWhole(_ string: String, match pattern: some RegexComponent) -> Bool {
        string.wholeMatch(of: pattern) != nil
    }
}

extension SettingRule where Value: Collection {
    /// The number of characters, elements or entries lies in a range, such as `.count(1...64)`.
    public static func count(_ range: some RangeExpression<Int> & Sendable) -> SettingRule {
        SettingRule(countDescription(range, of: Value.self)) { range.contains($0.count) }
    }
}

extension SettingRule {
    /// The secret's number of characters or elements lies in a range, such as `.count(32...)`.
    public static func count<Revealed: Collection>(
        _ range: some RangeExpression<Int> & Sendable
    ) -> SettingRule where Value == Secret<Revealed> {
        SettingRule(countDescription(range, of: Revealed.self)) { range.contains($0.revealed.count) }
    }

    /// The value, unless it is `nil`, follows a rule.
    public static func unlessNil<Wrapped>(_ rule: SettingRule<Wrapped>) -> SettingRule where Value == Wrapped? {
        let accepts = rule.accepts
        return SettingRule(rule.description) { $0.map(accepts) ?? true }
    }
}

private func countDescription(_ range: some RangeExpression<Int>, of type: any Any.Type) -> String {
    let unit =
        switch type {
        case is any StringProtocol.Type: "characters"
        case is Data.Type: "bytes"
        case is any HasEntries.Type: "entries"
        default: "elements"
        }
    return "of \(spelling(of: range)) \(unit)"
}

/// A dictionary of any type.
private protocol HasEntries {}

extension Dictionary: HasEntries {}
