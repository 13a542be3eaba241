/// A value is one of a list.
struct ChoiceConstraint<Value: Sendable & Equatable>: RuleConstraint {
    let values: [Value]

    var words: String { "one of \(Redacted(typed: values).list() ?? "\(values.count) values")" }

    func accepts(_ value: Value) -> Bool { values.contains(value) }

    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription {
        let cases = isAboutSecrets ? [] : values.compactMap(encode)
        // A list with holes would refuse what the rule accepts.
        return RuleDescription(.oneOf, words, cases: cases.isEmpty || cases.count < values.count ? nil : cases)
    }
}
