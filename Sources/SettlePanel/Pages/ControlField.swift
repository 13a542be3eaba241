import Settle
import SettleInterchange

/// The inputs of a control.
struct ControlField {
    let kind: ControlKind
    /// The identifier of the input, or of the first of several.
    let id: String
    /// What the setting is called.
    let label: String
    /// The element that names a group of inputs.
    let titleID: String?
    /// The elements that describe it.
    let description: String?
    /// Whether it is only shown. What is typed in can still be reached by the keyboard then, with the reason.
    let isDisabled: Bool
    let isOptional: Bool
    let isInvalid: Bool
    /// Of a secret: whether there is one.
    let isSet: Bool
    let words: PanelWords
    let imagePath: (String) -> String

    func html(_ input: ControlInput) -> HTML {
        switch kind {
        case .toggle: toggle(input.text == ControlInput.on)
        case .choice(let choices, .radio): radios(choices, input.text)
        case .choice(let choices, .select): menu(choices, input.text)
        // A slider always has a value, so it can't show that there is none, or become so.
        case .number(let number) where number.isSlider && !isOptional && Double(input.text)?.isFinite == true:
            slider(number, input.text)
        case .list(let element): parts(input, element, isNamed: false)
        case .dictionary(let element): parts(input, element, isNamed: true)
        case .secret: secret
        case .json, .data: textArea(input.text, name: "value")
        default: scalar(kind, input.text, name: "value", id: id, label: nil)
        }
    }

    private var invalid: HTML.Attribute { .optional(isInvalid ? "true" : nil) }

    // MARK: One value

    private func toggle(_ isOn: Bool) -> HTML {
        HTML(
            "input",
            [
                "type": "checkbox", "role": "switch", "class": "switch", "id": .text(id), "name": "value",
                "value": .text(ControlInput.on), "checked": .flag(isOn), "disabled": .flag(isDisabled),
                "aria-describedby": .optional(description), "aria-invalid": invalid,
            ])
    }

    private func radios(_ choices: [SettingsBundle.Choice], _ text: String) -> HTML {
        var options = choices.map { (value: $0.id, title: $0.title) }
        if isOptional { options.append(("", words("Not set"))) }
        let chosen = options.firstIndex { $0.value == text }
        return HTML(
            "div",
            [
                "class": "radios", "role": "radiogroup", "aria-labelledby": .optional(titleID),
                "aria-describedby": .optional(description), "aria-invalid": invalid,
            ]
        ) {
            for (position, option) in options.enumerated() {
                HTML("label") {
                    HTML(
                        "input",
                        [
                            "type": "radio", "name": "value", "id": .text(position == 0 ? id : "\(id).\(position)"),
                            "value": .text(option.value), "checked": .flag(position == chosen),
                            "disabled": .flag(isDisabled), "aria-describedby": .optional(description),
                        ])
                    HTML("span") { option.title }
                }
            }
        }
    }

    private func menu(_ choices: [SettingsBundle.Choice], _ text: String) -> HTML {
        // Two that are the same must not both be chosen.
        let chosen = choices.firstIndex { $0.id == text }
        return HTML(
            "select",
            [
                "id": .text(id), "name": "value", "disabled": .flag(isDisabled),
                "aria-describedby": .optional(description), "aria-invalid": invalid,
            ]
        ) {
            if isOptional || chosen == nil {
                HTML("option", ["value": "", "selected": .flag(chosen == nil)]) { words("Not set") }
            }
            for (position, choice) in choices.enumerated() {
                HTML("option", ["value": .text(choice.id), "selected": .flag(position == chosen)]) { choice.title }
            }
        }
    }

    private func slider(_ number: ControlKind.NumberInput, _ text: String) -> HTML {
        HTML("span", ["class": "slider"]) {
            if let image = number.minimumImage { HTML("img", ["src": .text(imagePath(image)), "alt": ""]) }
            HTML(
                "input",
                [
                    "type": "range", "id": .text(id), "name": "value", "value": .text(text),
                    "min": .optional(number.minimum?.numberText), "max": .optional(number.maximum?.numberText),
                    "step": number.isInteger ? "1" : "any", "disabled": .flag(isDisabled),
                    "aria-describedby": .optional(description), "aria-invalid": invalid,
                ])
            HTML("output", ["for": .text(id)]) { text }
            if let image = number.maximumImage { HTML("img", ["src": .text(imagePath(image)), "alt": ""]) }
        }
    }

    private var secret: HTML {
        HTML("span", ["class": "secret"]) {
            HTML("span", ["class": "state"]) { isSet ? words("Is set") : words("Not set") }
            HTML(
                "input",
                [
                    "type": "password", "id": .text(id), "name": "value", "autocomplete": "new-password",
                    "placeholder": .text(isSet ? words("Replace") : words("Set")), "readonly": .flag(isDisabled),
                    "aria-describedby": .optional(description), "aria-invalid": invalid,
                ])
        }
    }

    private func textArea(_ text: String, name: StaticString) -> HTML {
        HTML(
            "textarea",
            [
                "id": .text(id), "name": .text("\(name)"), "rows": "3", "spellcheck": "false",
                "readonly": .flag(isDisabled), "aria-describedby": .optional(description), "aria-invalid": invalid,
            ]
        ) {
            // The first line break of the contents is none.
            "\n\(text)"
        }
    }

    private func scalar(
        _ kind: ControlKind, _ text: String, name: StaticString, id: String, label: String?, hint: String? = nil
    ) -> HTML {
        if text.utf8.contains(UInt8(ascii: "\n")), case .text = kind { return textArea(text, name: name) }
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
                "inputmode": .optional(keyboard), "step": .optional(step), "min": .optional(minimum),
                "max": .optional(maximum), "autocapitalize": .optional(capitalization),
                "autocorrect": .optional(correction), "readonly": .flag(isDisabled), "aria-label": .optional(label),
                "placeholder": .optional(hint),
                "aria-describedby": .optional(description), "aria-invalid": invalid,
            ])
    }

    // MARK: Several values

    private func parts(_ input: ControlInput, _ element: ControlKind, isNamed: Bool) -> HTML {
        HTML(
            "div",
            [
                "class": "parts", "role": "group", "aria-labelledby": .optional(titleID),
                "aria-describedby": .optional(description),
            ]
        ) {
            for (position, part) in input.parts.enumerated() {
                row(part, element, position: position, count: input.parts.count, isNamed: isNamed)
            }
            if !isDisabled {
                HTML("div", ["class": "part new"]) {
                    if isNamed {
                        nameInput(
                            "", name: "newName", label: words("Name of a new entry"), id: "\(id).new.name",
                            hint: words("Name"))
                    }
                    inputOfPart(
                        element, "", name: "newPart", label: words("New entry"), id: "\(id).new",
                        hint: isNamed ? words("Value") : words("New entry"))
                    button("add", words("Add"))
                }
            }
        }
    }

    private func row(
        _ part: ControlInput.Part, _ element: ControlKind, position: Int, count: Int, isNamed: Bool
    ) -> HTML {
        let number = "\(position + 1)"
        return HTML("div", ["class": "part"]) {
            let place = position == 0 ? id : "\(id).\(position)"
            if isNamed {
                nameInput(part.name, name: "name", label: words("Name of entry %@", number), id: "\(place).name")
            }
            inputOfPart(
                element, part.text, name: "part",
                label: isNamed && !part.name.isEmpty ? part.name : words("Entry %@", number), id: place)
            if !isDisabled {
                if !isNamed {
                    button("up \(position)", "↑", words("Move entry %@ up", number), isDisabled: position == 0)
                    button(
                        "down \(position)", "↓", words("Move entry %@ down", number),
                        isDisabled: position == count - 1)
                }
                button("remove \(position)", "×", words("Remove entry %@", number))
            }
        }
    }

    /// A part can't have a checkbox: a browser does not send those that are off, so the others would move up.
    private func inputOfPart(
        _ element: ControlKind, _ text: String, name: StaticString, label: String, id: String, hint: String? = nil
    ) -> HTML {
        switch element {
        case .toggle:
            choicesOfPart([(ControlInput.on, words("On")), ("", words("Off"))], text, name: name, label: label, id: id)
        case .choice(let choices, _):
            choicesOfPart(
                choices.map { ($0.id, $0.title) }, text, name: name, label: label, id: id)
        default: scalar(element, text, name: name, id: id, label: label, hint: hint)
        }
    }

    private func choicesOfPart(
        _ choices: [(value: String, title: String)], _ text: String, name: StaticString, label: String, id: String
    ) -> HTML {
        let chosen = choices.firstIndex { $0.value == text }
        return HTML(
            "select",
            [
                "id": .text(id), "name": .text("\(name)"), "disabled": .flag(isDisabled), "aria-label": .text(label),
                "aria-describedby": .optional(description),
            ]
        ) {
            for (position, choice) in choices.enumerated() {
                HTML("option", ["value": .text(choice.value), "selected": .flag(position == chosen)]) { choice.title }
            }
        }
    }

    private func nameInput(
        _ text: String, name: StaticString, label: String, id: String, hint: String? = nil
    ) -> HTML {
        HTML(
            "input",
            [
                "class": "name", "name": .text("\(name)"), "id": .text(id), "value": .text(text),
                "aria-label": .text(label), "readonly": .flag(isDisabled), "aria-describedby": .optional(description),
                "placeholder": .optional(hint),
            ])
    }

    private func button(_ action: String, _ text: String, _ label: String? = nil, isDisabled: Bool = false) -> HTML {
        HTML(
            "button",
            [
                "class": "quiet", "name": "action", "value": .text(action), "aria-label": .optional(label),
                "title": .optional(label), "disabled": .flag(isDisabled),
            ]
        ) { text }
    }
}

extension SettingValue {
    /// On one line, for a person who looks at it.
    var spelledForPeople: String {
        switch self {
        case .date(let date): DateInput.text(of: date).map { $0.replacing("T", with: " ") + " UTC" } ?? line
        case .string(let text): text
        default: line
        }
    }
}
