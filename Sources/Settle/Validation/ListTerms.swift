/// A value is one of a list.
struct ListTerms<Value: Sendable & Equatable>: RuleTerms {
    let values: [Value]

    var words: String {
        isAboutSecrets
            ? "one of \(values.count) values"
            : "one of \(values.map { unwrappedSpelling(of: $0) }.joined(separator: ", "))"
    }

    func accepts(_ value: Value) -> Bool { values.contains(value) }

    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription {
        let cases = isAboutSecrets ? [] : values.compactMap(encode)
        // A list with holes would refuse what the rule accepts.
        return RuleDescription(.oneOf, words, cases: cases.isEmpty || cases.count < values.count ? nil : cases)
    }
}
