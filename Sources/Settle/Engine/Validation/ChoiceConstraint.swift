/// A value is one of a list.
struct ChoiceConstraint<Value: Sendable & Equatable>: RuleConstraint {
    let values: [Value]
    private let areTexts: Bool

    init(values: [Value]) {
        self.values = values
        areTexts = values.contains { Self.text(of: $0) != nil }
    }

    var words: String { "one of \(Redacted(typed: values).list() ?? "\(values.count) values")" }

    /// Texts must have the same characters in Unicode, as the schema and other programs compare them: for Swift, an é is
    /// equal to an e with an accent.
    func accepts(_ value: Value) -> Bool {
        guard areTexts, let text = Self.text(of: value) else { return values.contains(value) }
        return values.contains { $0 == value && Self.text(of: $0)?.utf8.elementsEqual(text.utf8) == true }
    }

    private static func text(of value: Any) -> String? {
        value as? String ?? (value as? any RawRepresentable).flatMap { text(of: $0.rawValue) }
    }

    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription {
        let cases = isAboutSecrets ? [] : values.compactMap(encode)
        // A list with holes would refuse what the rule accepts.
        return RuleDescription(.oneOf, words, cases: cases.isEmpty || cases.count < values.count ? nil : cases)
    }
}
