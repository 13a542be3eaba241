import Settle
import SettleInterchange

/// The reason that a value is refused.
struct ValueProblem: Sendable {
    /// Text in English that completes “it can't be this: …”.
    let reason: String
    /// Whether the value is of the right type, and breaks a rule.
    let isRuleBroken: Bool
    /// The broken rule in the words of the store; `nil` if it is not known.
    private(set) var rule: String?

    /// - Returns: `nil` if there is none.
    init?(of value: SettingValue, _ check: SchemaCheck) {
        guard let problem = check.problem(with: value) else { return nil }
        (reason, isRuleBroken) = (problem, check.breaksRule(value))
    }

    /// Creates the reason of a store, which has checked the rules of its declaration.
    init(_ error: SettingsError) {
        let mistake = (error.underlying as? SettingCodingError).map { "expected \($0.expected), found \($0.found)" }
        reason = error.rule.map { "it must be \($0)" } ?? mistake ?? "\(error)"
        // A value of another type breaks no rule.
        (isRuleBroken, rule) = (error.code == .invalidValue, error.rule)
    }
}

extension ControlKind {
    /// Returns the rules that follow from the kind itself, such as the ends of a slider.
    fileprivate func rules(of key: SettingKey, _ strings: PanelStrings) -> [RuleText] {
        RuleWording(strings, SchemaCheck(schema)).texts(of: DeclaredSetting(key: key, schema: schema))
    }

    /// Returns the titles of its values if a value is none of them, or those of its parts' values if a part is not.
    ///
    /// - Parameter limit: The maximum number of choices to return; with more there are none.
    fileprivate func options(insteadOf value: SettingValue, _ limit: Int, _ strings: PanelStrings) -> [HTML] {
        switch (self, value) {
        case (.choice(let choices, _), _) where isStray(value) && choices.count <= limit:
            choices.map { strings.isolated($0.title) }
        case (.toggle, _) where isStray(value): [HTML(strings("On")), HTML(strings("Off"))]
        case (.list(let element), .array(let elements)):
            elements.first { element.isStray($0) }.map { element.options(insteadOf: $0, limit, strings) } ?? []
        case (.dictionary(let element), .dictionary(let entries)):
            entries.values.first { element.isStray($0) }.map { element.options(insteadOf: $0, limit, strings) } ?? []
        default: []
        }
    }

    /// Returns the name of the values' type; `nil` if a value may be of that type, or if people have no word for it.
    fileprivate func typeName(insteadOf value: SettingValue, _ strings: PanelStrings) -> String? {
        switch (self, value) {
        case (.text, .string), (.list, .array), (.dictionary, .dictionary): nil
        case (.number(let input), _): input.isInteger ? strings("a whole number") : strings("a number")
        case (.text, _): strings("a text")
        case (.date, _): strings("a date and time")
        case (.duration, _): strings("a duration such as 90s or 1h30m")
        case (.data, _): strings("data in base64")
        case (.list, _): strings("a list")
        case (.dictionary, _): strings("entries with names")
        case (.toggle, _), (.choice, _), (.secret, _), (.json, _), (.label, _): nil
        }
    }
}

extension Control {
    /// The maximum number of choices that a sentence names, and of characters of a value.
    private static let limits = (choices: 12, characters: 60)

    /// Returns the reason that a value is refused, as one sentence with the title.
    func refusal(of value: SettingValue, _ problem: ValueProblem, _ strings: PanelStrings) -> HTML {
        let name = strings.isolated(title)
        let allowed = problem.isRuleBroken ? allowedValues(value, problem.rule, strings) : []
        guard !isSecret else {
            // A declaration that does not know of the secret may quote it.
            return allowed.isEmpty
                ? HTML(strings("This can’t be stored here."))
                : strings.html("“%@” can’t have this value; allowed: %@.", name, list(allowed, strings))
        }
        let shown = brief(value, strings)
        return allowed.isEmpty
            ? strings.html("“%@” can’t be %@: %@.", name, shown, strings.english(problem.reason))
            : strings.html("“%@” can’t be %@; allowed: %@.", name, shown, list(allowed, strings))
    }

    /// Returns the note about a stored value that can't be used, with the title. The store's own reason has the key and
    /// stays on the value's own page; see ``PanelPages/why(_:)``.
    func note(about unusable: UnusableValue, _ strings: PanelStrings) -> HTML {
        let name = strings.isolated(title)
        var sentence = strings.html("What is stored for “%@” can’t be used.", name)
        // A struct may have a secret in it and not declare it.
        let isJSON = if case .json = kind { true } else { false }
        if let value = unusable.value, !isJSON {
            sentence = strings.html("What is stored for “%@” can’t be used: %@.", name, brief(value, strings))
        }
        let allowed = allowedValues(insteadOf: unusable, strings)
        guard !allowed.isEmpty else { return sentence }
        return HTML([sentence, HTML(" "), strings.html("Allowed: %@.", list(allowed, strings))])
    }

    private func allowedValues(insteadOf unusable: UnusableValue, _ strings: PanelStrings) -> [HTML] {
        if unusable.rule != nil { return allowedValues(unusable.value, unusable.rule, strings) }
        guard let value = unusable.value else { return [] }
        let options = kind.options(insteadOf: value, Self.limits.choices, strings)
        if !options.isEmpty { return options }
        guard let type = kind.typeName(insteadOf: value, strings) else { return [] }
        return [HTML(type)] + allowedValues(value, nil, strings)
    }

    /// Returns the words of the broken rule, or else the values that the control has if the refused one is none of
    /// them, or else the words of all rules.
    ///
    /// - Parameter value: `nil` if it is not known.
    private func allowedValues(_ value: SettingValue?, _ rule: String?, _ strings: PanelStrings) -> [HTML] {
        let known = rules.isEmpty ? kind.rules(of: key, strings) : rules
        let broken = rule.map { rule in known.filter { $0.demand == rule } } ?? []
        if broken.isEmpty, let value {
            let options = kind.options(insteadOf: value, Self.limits.choices, strings)
            if !options.isEmpty { return options }
        }
        return (broken.isEmpty ? known : broken).map { $0.html(strings) }
    }

    private func list(_ items: [HTML], _ strings: PanelStrings) -> HTML {
        HTML(Array(items.map { [$0] }.joined(separator: [HTML(strings(", "))])))
    }

    private func brief(_ value: SettingValue, _ strings: PanelStrings) -> HTML {
        let text = spelled(value, strings)
        if text.isEmpty { return HTML(strings("empty")) }
        guard text.count > Self.limits.characters else { return shown(value, strings) }
        return strings.isolated("\(text.prefix(Self.limits.characters - 1))…")
    }
}
