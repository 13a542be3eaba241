/// A value is one of a list.
struct ChoiceConstraint<Value: Sendable & Equatable>: RuleConstraint {
    let values: [Value]
    /// The titles of the values, in the same order; `nil` if they have none.
    private let titles: [String]?
    private let areTexts: Bool

    init(values: [Value], titles: [String]? = nil) {
        self.values = values
        self.titles = titles
        areTexts = values.contains { Self.bytes(of: $0) != nil }
    }

    var words: String { "one of \(Redacted(typed: values).list() ?? "\(values.count) values")" }

    /// Compares texts by their bytes, as the schema and other programs do: Swift considers an é equal to an e with an
    /// accent.
    func accepts(_ value: Value) -> Bool {
        guard areTexts, let bytes = Self.bytes(of: value) else { return values.contains(value) }
        return values.contains { $0 == value && Self.bytes(of: $0)?.elementsEqual(bytes) == true }
    }

    /// The bytes of a text; `nil` for other values.
    private static func bytes(of value: Any) -> Substring.UTF8View? {
        if let text = value as? String { return text[...].utf8 }
        return (value as? any RawRepresentable).flatMap { bytes(of: $0.rawValue) }
    }

    func described(_ encode: (Value) -> SettingValue?) -> RuleDescription {
        let cases = isAboutSecrets ? [] : values.compactMap(encode)
        // A list with holes would refuse what the rule accepts.
        guard !cases.isEmpty, cases.count == values.count else { return RuleDescription(.oneOf, words) }
        return RuleDescription(.oneOf, words, cases: cases, titles: titles ?? choiceTitles(of: values))
    }
}
