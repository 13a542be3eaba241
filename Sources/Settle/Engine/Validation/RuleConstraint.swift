/// What a rule demands, in a form that can be checked, told in words, and shown as data.
protocol RuleConstraint<Value>: Sendable {
    associatedtype Value: Sendable

    /// Words that complete "it must be …".
    var words: String { get }
    /// Why the terms can't be met by any value, as a sentence; `nil` if they make sense.
    var defect: String? { get }

    func accepts(_ value: Value) -> Bool

    /// The terms as data.
    ///
    /// - Parameter encode: The stored form of a value; `nil` if it has none, or is not to be shown.
    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription
}

extension RuleConstraint {
    var defect: String? { nil }
    /// Whether the values are not to be shown, so the words and the data must not show any either.
    var isAboutSecrets: Bool { Value.self is any SecretValue.Type }
}
