import Settle
import SettleInterchange

/// Fields for typed text.
extension ControlField {
    var secret: HTML {
        HTML("span", ["class": "secret"]) {
            HTML("span", ["class": "state"]) { isSet ? strings("Is set") : strings("Not set") }
            HTML(
                "input",
                [
                    "type": "password", "id": .text(id), "name": "value", "autocomplete": "new-password",
                    "placeholder": .text(isSet ? strings("Replace") : strings("Set")), "readonly": .flag(isLocked),
                    "aria-describedby": .optional(description), "aria-invalid": invalid,
                ])
        }
    }

    /// - Parameter label: The name of a part, which no label names; `nil` for the setting's own input.
    func textArea(_ kind: ControlKind, _ text: String, name: StaticString, id: String, label: String?) -> HTML {
        HTML(
            "textarea",
            [
                "id": .text(id), "name": .text("\(name)"), "rows": "3", "spellcheck": "false",
                "dir": kind.direction, "readonly": .flag(isLocked), "aria-label": .optional(label),
                "aria-describedby": .optional(description), "aria-invalid": invalid,
            ]
        ) {
            // The first line break of the contents is ignored.
            "\n\(text)"
        }
    }

    func scalar(
        _ kind: ControlKind, _ text: String, name: StaticString, id: String, label: String?, hint: String? = nil
    ) -> HTML {
        if case .text(let input) = kind, input.hasLines || text.utf8.contains(UInt8(ascii: "\n")) {
            return textArea(kind, text, name: name, id: id, label: label)
        }
        var (type, keyboard, step) = ("text", String?.none, String?.none)
        var (minimum, maximum, text) = (String?.none, String?.none, text)
        var (capitalization, correction) = (String?.none, String?.none)
        switch kind {
        case .number(let input) where text.isEmpty || Double(text)?.isFinite == true:
            (type, step) = ("number", input.isInteger ? "1" : "any")
            (minimum, maximum) = (input.minimum?.numberText, input.maximum?.numberText)
            keyboard = input.isInteger ? "numeric" : "decimal"
        case .date: (type, step) = ("datetime-local", text.utf8.contains(UInt8(ascii: ".")) ? "any" : "1")
        case .text(let input):
            (type, keyboard, capitalization) = (input.type, input.keyboard, input.capitalization)
            correction = input.isCorrected.map { $0 ? "on" : "off" }
        case .toggle: text = text == ControlInput.on ? text : ""
        default: break
        }
        return HTML(
            "input",
            [
                "type": .text(type), "id": .text(id), "name": .text("\(name)"), "value": .text(text),
                "dir": kind.direction, "inputmode": .optional(keyboard), "step": .optional(step),
                "min": .optional(minimum),
                "max": .optional(maximum), "autocapitalize": .optional(capitalization),
                "autocorrect": .optional(correction), "readonly": .flag(isLocked), "aria-label": .optional(label),
                "placeholder": .optional(hint),
                "aria-describedby": .optional(description), "aria-invalid": invalid,
            ])
    }
}
