/// The demand of a rule, in a form that can be checked, described in text, and shown as data.
protocol RuleConstraint<Value>: Sendable {
    associatedtype Value: Sendable

    /// Text that completes "it must be …".
    var words: String { get }
    /// The reason why the terms can't be met by any value, as a sentence; `nil` if they make sense.
    var defect: String? { get }

    func accepts(_ value: Value) -> Bool

    /// Returns the terms as data.
    ///
    /// - Parameter encode: The stored form of a value; `nil` if it has none, or must not be shown.
    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription
}

extension RuleConstraint {
    var defect: String? { nil }
    /// Whether the values must not be shown. Then text and data must not show any either.
    var isAboutSecrets: Bool { Value.self is any SecretValue.Type }
}
