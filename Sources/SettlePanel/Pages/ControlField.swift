import Settle
import SettleInterchange

/// The inputs of a control.
///
/// A locked control stays reachable by keyboard, with the reason as its description, and can't be changed, even without
/// a script. Fields are `readonly`. Controls that have no such state are not inputs: a switch and side-by-side choices
/// are elements with the role and `aria-disabled`; a menu and a slider are a field with the selected value.
struct ControlField {
    let kind: ControlKind
    /// The identifier of the input, or of the first of several.
    let id: String
    /// The name of the setting.
    let label: String
    /// The element that names it, if no label does.
    let titleID: String?
    /// The elements that describe it.
    let description: String?
    /// Whether it is only shown.
    let isLocked: Bool
    let isOptional: Bool
    let isInvalid: Bool
    /// Whether a secret is set.
    let isSet: Bool
    let strings: PanelStrings
    let imagePath: (String) -> String

    func html(_ input: ControlInput) -> HTML {
        switch kind {
        case .toggle: toggle(input.text == ControlInput.on)
        case .choice(let choices, .radio): radios(choices, input.text)
        case .choice(let choices, .select): menu(choices, input.text)
        // A slider always has a value, so it can't show that there is none, or be cleared.
        case .number(let number)
        where number.isSlider && !isOptional && !isLocked && Double(input.text)?.isFinite == true:
            slider(number, input.text)
        case .list(let element): parts(input, element, isNamed: false)
        case .dictionary(let element): parts(input, element, isNamed: true)
        case .secret: secret
        case .json, .data: textArea(kind, input.text, name: "value", id: id, label: nil)
        default: scalar(kind, input.text, name: "value", id: id, label: nil)
        }
    }

    var invalid: HTML.Attribute { .optional(isInvalid ? "true" : nil) }

    private func toggle(_ isOn: Bool) -> HTML {
        if isLocked {
            return HTML(
                "span",
                [
                    "role": "switch", "class": "switch", "id": .text(id), "tabindex": "0",
                    "aria-checked": isOn ? "true" : "false", "aria-disabled": "true",
                    "aria-labelledby": .optional(titleID), "aria-describedby": .optional(description),
                ])
        }
        return HTML(
            "input",
            [
                "type": "checkbox", "role": "switch", "class": "switch", "id": .text(id), "name": "value",
                "value": .text(ControlInput.on), "checked": .flag(isOn),
                "aria-describedby": .optional(description), "aria-invalid": invalid,
            ])
    }

    private func slider(_ number: ControlKind.NumberInput, _ text: String) -> HTML {
        HTML("span", ["class": "slider"]) {
            if let image = number.minimumImage { HTML("img", ["src": .text(imagePath(image)), "alt": ""]) }
            HTML(
                "input",
                [
                    "type": "range", "id": .text(id), "name": "value", "value": .text(text),
                    "min": .optional(number.minimum?.numberText), "max": .optional(number.maximum?.numberText),
                    "step": number.isInteger ? "1" : "any", "aria-describedby": .optional(description),
                    "aria-invalid": invalid,
                ])
            HTML("output", ["for": .text(id), "dir": "ltr"]) { text }
            if let image = number.maximumImage { HTML("img", ["src": .text(imagePath(image)), "alt": ""]) }
        }
    }
}
