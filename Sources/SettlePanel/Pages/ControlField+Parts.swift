import Settle
import SettleInterchange

/// Fields for several values.
extension ControlField {
    func parts(_ input: ControlInput, _ element: ControlKind, isNamed: Bool) -> HTML {
        HTML(
            "div",
            [
                "class": "parts", "role": "group", "aria-labelledby": .optional(titleID),
                "aria-describedby": .optional(description),
                "tabindex": .optional(isLocked && input.parts.isEmpty ? "0" : nil),
            ]
        ) {
            if isLocked, input.parts.isEmpty { HTML("span", ["aria-hidden": "true"]) { "–" } }
            for (position, part) in input.parts.enumerated() {
                row(part, element, position: position, count: input.parts.count, isNamed: isNamed)
            }
            if !isLocked {
                HTML("div", ["class": "part new"]) {
                    if isNamed {
                        nameInput(
                            "", name: "newName", label: strings("Name of a new entry"), id: "\(id).new.name",
                            hint: strings("Name"))
                    }
                    inputOfPart(
                        element, "", name: "newPart", label: strings("New entry"), id: "\(id).new",
                        hint: isNamed ? strings("Value") : strings("New entry"))
                    button("add", strings("Add"))
                }
            }
        }
    }

    private func row(
        _ part: ControlInput.Part, _ element: ControlKind, position: Int, count: Int, isNamed: Bool
    ) -> HTML {
        let number = "\(position + 1)"
        return HTML("div", ["class": "part"]) {
            let inputID = position == 0 ? id : "\(id).\(position)"
            if isNamed {
                nameInput(part.name, name: "name", label: strings("Name of entry %@", number), id: "\(inputID).name")
            }
            inputOfPart(
                element, part.text, name: "part",
                label: isNamed && !part.name.isEmpty ? part.name : strings("Entry %@", number), id: inputID)
            if !isLocked {
                if !isNamed {
                    button("up \(position)", "↑", strings("Move entry %@ up", number), isDisabled: position == 0)
                    button(
                        "down \(position)", "↓", strings("Move entry %@ down", number),
                        isDisabled: position == count - 1)
                }
                button("remove \(position)", "×", strings("Remove entry %@", number))
            }
        }
    }

    /// Returns the input of a part. A part can't have a checkbox: a browser does not send those that are off, so the
    /// others would move up.
    private func inputOfPart(
        _ element: ControlKind, _ text: String, name: StaticString, label: String, id: String, hint: String? = nil
    ) -> HTML {
        switch element {
        case .toggle:
            choicesOfPart(
                [(ControlInput.on, strings("On")), ("", strings("Off"))], text, name: name, label: label, id: id)
        case .choice(let choices, _):
            choicesOfPart(
                choices.map { ($0.id, $0.title) }, text, name: name, label: label, id: id)
        default: scalar(element, text, name: name, id: id, label: label, hint: hint)
        }
    }

    private func nameInput(
        _ text: String, name: StaticString, label: String, id: String, hint: String? = nil
    ) -> HTML {
        HTML(
            "input",
            [
                "class": "name", "name": .text("\(name)"), "id": .text(id), "value": .text(text), "dir": "auto",
                "aria-label": .text(label), "readonly": .flag(isLocked), "aria-describedby": .optional(description),
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
