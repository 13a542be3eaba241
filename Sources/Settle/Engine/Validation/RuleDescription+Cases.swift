extension RuleDescription {
    /// The demand of an enumeration's type itself; `nil` for types that do not list their values, and for secrets.
    init?<Value>(casesOf type: Value.Type, _ encode: (Value) -> SettingValue?) {
        guard !(type is any SecretValue.Type), let cases = enumeratedCases(of: type) else { return nil }
        let stored = cases.compactMap { ($0 as? Value).flatMap(encode) }
        guard stored.count == cases.count else { return nil }
        self.init(.oneOf, Self.words(for: stored), cases: stored, titles: choiceTitles(of: cases))
    }

    private static func words(for cases: [SettingValue]) -> String {
        guard cases.count <= mostSpelledCases else { return "one of \(cases.count) values" }
        let spelled = cases.compactMap { value in (try? value.json()).map { String(decoding: $0, as: UTF8.self) } }
        return "one of \(spelled.joined(separator: ", "))"
    }
}
