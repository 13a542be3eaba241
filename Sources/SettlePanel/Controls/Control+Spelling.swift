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
        default: return value.spelledForPeople + (unit.map { " \($0)" } ?? "")
        }
    }
}

extension SettingValue {
    /// The value on one line, for display.
    var spelledForPeople: String {
        switch self {
        case .date(let date): DateInput.text(of: date).map { $0.replacing("T", with: " ") + " UTC" } ?? line
        case .string(let text): text
        default: line
        }
    }
}
