/// A value, unless it is `nil`, follows other terms.
struct OptionalConstraint<Wrapped: Sendable>: RuleConstraint {
    let terms: any RuleConstraint<Wrapped>

    var words: String { terms.words }
    var defect: String? { terms.defect }

    func accepts(_ value: Wrapped?) -> Bool { value.map { terms.accepts($0) } ?? true }

    func described(_ encode: (Wrapped?) -> SettingValue?) -> RuleDescription { terms.described { encode($0) } }
}
