import Settle
import SettleInterchange

extension Control {
    /// Returns a value as text.
    func spelled(_ value: SettingValue, _ strings: PanelStrings) -> String {
        guard !isSecret else { return "••••" }
        switch kind {
        case .choice(let choices, _), .label(let choices):
            if let place = choices.place(matching: value) { return choices[place].title }
        case .toggle(let toggle):
            if let isOn = toggle.state(of: value) { return isOn ? strings("On") : strings("Off") }
        default: break
        }
        switch value {
        case .null: return strings("Not set")
        case .string(let text): return text
        default: return kind.titled(value).spelledForPeople + (unit.map { " \($0)" } ?? "")
        }
    }

    /// Returns a value as a piece of a page, in its own direction.
    func shown(_ value: SettingValue, _ strings: PanelStrings) -> HTML {
        let text = spelled(value, strings)
        if case .text(let input) = kind, input.isCode { return strings.code(text) }
        guard text.hasSameBytes(as: value.spelledForPeople + (unit.map { " \($0)" } ?? "")) else {
            return strings.isolated(text)
        }
        if case .string = value { return strings.isolated(text) }
        let number = strings.code(value.spelledForPeople)
        return unit.map { HTML([number, HTML(" "), strings.isolated($0)]) } ?? number
    }
}

extension ControlKind {
    /// Returns a list or dictionary with the titles of its choices in place of their values.
    fileprivate func titled(_ value: SettingValue) -> SettingValue {
        switch (self, value) {
        case (.choice(let choices, _), _):
            choices.place(matching: value).map { SettingValue.string(choices[$0].title) } ?? value
        case (.list(let element), .array(let elements)): .array(elements.map { element.titled($0) })
        case (.dictionary(let element), .dictionary(let entries)):
            .dictionary(
                SettingValue.Entries(uniqueKeysWithValues: entries.map { ($0.key, element.titled($0.value)) }))
        default: value
        }
    }
}

extension SettingValue {
    /// The value on one line, for display.
    var spelledForPeople: String {
        switch self {
        case .date(let date): DateInput.text(of: date).map { $0.replacing("T", with: " ") + " UTC" } ?? line
        case .string(let text): text
        case .real: numberText ?? line
        default: line
        }
    }
}
