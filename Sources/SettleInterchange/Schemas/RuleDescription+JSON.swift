import Settle

extension RuleDescription {
    /// Returns the JSON Schema keywords that demand the same, or less where there are none.
    func keywords(for shape: ValueShape) -> SettingValue.Entries {
        switch kind {
        // Other shapes may be ordered differently from their stored form.
        case .range where shape.kind == .integer || shape.kind == .number: rangeKeywords
        // Two values that the type considers equal may be stored differently.
        case .oneOf where shape.kind != .any || shape.cases != nil:
            cases.map { SettingValue.Entries(choices: $0, titles: titles, isOptional: shape.isOptional) } ?? [:]
        case .pattern: patternKeywords
        case .count: countKeywords(for: shape.kind)
        case .range, .oneOf, .check: [:]
        }
    }

    /// Whether the keywords demand all that the rule demands, and leave out no text of the declaration.
    func isExpressed(for shape: ValueShape) -> Bool {
        guard text == nil, !keywords(for: shape).isEmpty else { return false }
        return kind != .count || shape.kind != .string
    }

    private var rangeKeywords: SettingValue.Entries {
        var keywords: SettingValue.Entries = [:]
        if let lowerBound, lowerBound.value.isNumber {
            keywords[lowerBound.isIncluded ? "minimum" : "exclusiveMinimum"] = lowerBound.value
        }
        if let upperBound, upperBound.value.isNumber {
            keywords[upperBound.isIncluded ? "maximum" : "exclusiveMaximum"] = upperBound.value
        }
        return keywords
    }

    private var patternKeywords: SettingValue.Entries {
        guard let pattern, PortablePattern.contains(pattern) else { return [:] }
        return ["pattern": .string("^(?:\(pattern))$")]
    }

    private func countKeywords(for kind: ValueShape.Kind) -> SettingValue.Entries {
        let names: (least: String, most: String?)
        switch kind {
        // A character may have several code points, which JSON Schema counts.
        case .string: names = ("minLength", nil)
        case .array: names = ("minItems", "maxItems")
        case .dictionary: names = ("minProperties", "maxProperties")
        default: return [:]
        }
        var keywords: SettingValue.Entries = [:]
        if case .integer(let least)? = lowerBound?.value, least > 0 { keywords[names.least] = .integer(least) }
        if let most = names.most, let upperBound, case .integer(let count) = upperBound.value {
            keywords[most] = .integer(max(0, upperBound.isIncluded ? count : count &- 1))
        }
        return keywords
    }
}

extension SettingValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .real, .number: true
        default: false
        }
    }
}
