/// A value is accepted by a closure.
struct CheckTerms<Value: Sendable>: RuleTerms {
    let words: String
    let check: @Sendable (Value) -> Bool

    func accepts(_ value: Value) -> Bool { check(value) }

    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription { RuleDescription(.check, words) }
}
