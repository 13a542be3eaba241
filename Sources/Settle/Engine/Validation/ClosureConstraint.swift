/// A value is accepted by a closure.
struct ClosureConstraint<Value: Sendable>: RuleConstraint {
    let words: String
    let check: @Sendable (Value) -> Bool

    func accepts(_ value: Value) -> Bool { check(value) }

    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription {
        RuleDescription(.check, words, text: words == unnamedCheck ? nil : words)
    }
}

/// The text of a check whose declaration gives none.
private let unnamedCheck = "accepted by the setting's check"
