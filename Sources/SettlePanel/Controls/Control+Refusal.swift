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
}

extension Control {
    /// The maximum number of choices that a sentence names, and of characters of a value.
    private static let limits = (choices: 12, characters: 60)

    /// Returns the reason that a value is refused, as one sentence with the title.
    func refusal(of value: SettingValue, _ problem: ValueProblem, _ strings: PanelStrings) -> HTML {
        let name = strings.isolated(title)
        let allowed = problem.isRuleBroken ? allowedValues(value, problem.rule, strings) : []
        let list = HTML(Array(allowed.map { [$0] }.joined(separator: [HTML(strings(", "))])))
        guard !isSecret else {
            // A declaration that does not know of the secret may quote it.
            return allowed.isEmpty
                ? HTML(strings("This can’t be stored here."))
                : strings.html("“%@” can’t have this value; allowed: %@.", name, list)
        }
        let shown = brief(value, strings)
        return allowed.isEmpty
            ? strings.html("“%@” can’t be %@: %@.", name, shown, strings.english(problem.reason))
            : strings.html("“%@” can’t be %@; allowed: %@.", name, shown, list)
    }

    /// Returns the words of the broken rule, or else the values that the control has if the refused one is none of
    /// them, or else the words of all rules.
    private func allowedValues(_ value: SettingValue, _ rule: String?, _ strings: PanelStrings) -> [HTML] {
        let known = rules.isEmpty ? kind.rules(of: key, strings) : rules
        let broken = rule.map { rule in known.filter { $0.demand == rule } } ?? []
        if broken.isEmpty, kind.isStray(value) {
            switch kind {
            case .choice(let choices, _) where choices.count <= Self.limits.choices:
                return choices.map { strings.isolated($0.title) }
            case .toggle: return [HTML(strings("On")), HTML(strings("Off"))]
            default: break
            }
        }
        return (broken.isEmpty ? known : broken).map { $0.html(strings) }
    }

    private func brief(_ value: SettingValue, _ strings: PanelStrings) -> HTML {
        let text = spelled(value, strings)
        if text.isEmpty { return HTML(strings("empty")) }
        guard text.count > Self.limits.characters else { return shown(value, strings) }
        return strings.isolated("\(text.prefix(Self.limits.characters - 1))…")
    }
}
