import Settle

/// Rules as entries of the keyword `x-rules`, for what JSON Schema has no keyword for.
extension RuleDescription {
    /// The rule with its bounds, pattern and texts; its cases are in `enum`.
    var json: SettingValue {
        var entries: SettingValue.Entries = ["kind": .string(kind.rawValue), "description": .string(description)]
        if let lowerBound { entries[Self.lower(lowerBound.isIncluded)] = lowerBound.value }
        if let upperBound { entries[Self.upper(upperBound.isIncluded)] = upperBound.value }
        if let pattern { entries["pattern"] = .string(pattern) }
        if let text { entries["text"] = .string(text) }
        return .dictionary(entries)
    }

    /// - Returns: `nil` for an entry in another form.
    init?(json: SettingValue) {
        guard case .dictionary(let entries) = json, let name = entries.text("kind"), let kind = Kind(rawValue: name)
        else { return nil }
        self.init(
            kind, entries.text("description") ?? "", lowerBound: Self.lowerBound(entries),
            upperBound: Self.upperBound(entries), pattern: entries.text("pattern"), text: entries.text("text"))
    }

    fileprivate static func lowerBound(_ keywords: SettingValue.Entries) -> Bound? { bound(keywords, lower) }
    fileprivate static func upperBound(_ keywords: SettingValue.Entries) -> Bound? { bound(keywords, upper) }

    private static func bound(_ keywords: SettingValue.Entries, _ name: (Bool) -> String) -> Bound? {
        [true, false].compactMap { isIncluded in
            keywords[name(isIncluded)].map { Bound($0, isIncluded: isIncluded) }
        }.first
    }

    private static func lower(_ isIncluded: Bool) -> String { isIncluded ? "minimum" : "exclusiveMinimum" }
    private static func upper(_ isIncluded: Bool) -> String { isIncluded ? "maximum" : "exclusiveMaximum" }
}

extension SettingValue.Entries {
    /// The rules that the keywords of a setting state, without those of its elements.
    var rules: [RuleDescription] {
        var stated: [RuleDescription] = []
        if case .array(let entries)? = self["x-rules"] { stated = entries.compactMap(RuleDescription.init(json:)) }
        var rules = ownRules
        if case .array(let schemas)? = self["allOf"] {
            for case .dictionary(let keywords) in schemas { rules += keywords.ownRules }
        }
        // Its keyword may demand less, as with the characters of a text.
        return rules.filter { rule in !stated.contains { $0.kind == rule.kind } } + stated
    }

    private var ownRules: [RuleDescription] {
        var rules: [RuleDescription] = []
        if case .array(let cases)? = self["enum"] {
            rules.append(RuleDescription(.oneOf, "", cases: cases, titles: titles(of: cases)))
        }
        let (lower, upper) = (RuleDescription.lowerBound(self), RuleDescription.upperBound(self))
        if lower != nil || upper != nil {
            rules.append(RuleDescription(.range, "", lowerBound: lower, upperBound: upper))
        }
        for unit in ["Length", "Items", "Properties"] {
            let (least, most) = (self["min" + unit], self["max" + unit])
            guard least != nil || most != nil else { continue }
            rules.append(
                RuleDescription(
                    .count, "", lowerBound: least.map { .init($0, isIncluded: true) },
                    upperBound: most.map { .init($0, isIncluded: true) }))
        }
        if let pattern = text("pattern") {
            rules.append(RuleDescription(.pattern, "", pattern: pattern.withoutAnchors))
        }
        return rules
    }

    private func titles(of cases: [SettingValue]) -> [String]? {
        guard case .array(let values)? = self["enumDescriptions"], values.count == cases.count else { return nil }
        let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return texts.count == cases.count ? texts : nil
    }

    /// Returns the text of a keyword; `nil` for another value.
    func text(_ name: String) -> String? { if case .string(let text)? = self[name] { text } else { nil } }
}

extension String {
    /// The pattern as a declaration has it: a schema's pattern may match a part, unless it is anchored.
    fileprivate var withoutAnchors: String {
        hasPrefix("^(?:") && hasSuffix(")$") ? String(dropFirst(4).dropLast(2)) : self
    }
}
