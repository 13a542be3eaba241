import Settle
import SettleInterchange

/// One of several values.
extension ControlField {
    func radios(_ choices: [SettingsBundle.Choice], _ text: String) -> HTML {
        var options = choices.map { (value: $0.id, title: $0.title) }
        if isOptional { options.append(("", strings("Not set"))) }
        let chosen = options.firstIndex { $0.value == text }
        return HTML(
            "div",
            [
                "class": "radios", "role": "radiogroup", "aria-labelledby": .optional(titleID),
                "aria-describedby": .optional(description), "aria-invalid": invalid,
                "aria-disabled": .optional(isLocked ? "true" : nil),
            ]
        ) {
            for (position, option) in options.enumerated() {
                let id = position == 0 ? id : "\(id).\(position)"
                if isLocked {
                    locked(option.title, id: id, isChosen: position == chosen, isFirst: position == (chosen ?? 0))
                } else {
                    HTML("label") {
                        HTML(
                            "input",
                            [
                                "type": "radio", "name": "value", "id": .text(id), "value": .text(option.value),
                                "checked": .flag(position == chosen), "aria-describedby": .optional(description),
                            ])
                        HTML("span") { strings.isolated(option.title) }
                    }
                }
            }
        }
    }

    /// - Parameter isFirst: Whether this one of the group receives keyboard focus.
    private func locked(_ title: String, id: String, isChosen: Bool, isFirst: Bool) -> HTML {
        HTML(
            "span",
            [
                "role": "radio", "class": "choice", "id": .text(id), "tabindex": .optional(isFirst ? "0" : nil),
                "aria-checked": isChosen ? "true" : "false", "aria-disabled": "true",
                "aria-describedby": .optional(description),
            ]
        ) { strings.isolated(title) }
    }

    func menu(_ choices: [SettingsBundle.Choice], _ text: String) -> HTML {
        // Two equal ones must not both be selected.
        let chosen = choices.firstIndex { $0.id == text }
        if isLocked { return lockedMenu(chosen.map { choices[$0].title } ?? strings("Not set"), id: id, label: nil) }
        return HTML(
            "select",
            ["id": .text(id), "name": "value", "aria-describedby": .optional(description), "aria-invalid": invalid]
        ) {
            if isOptional || chosen == nil {
                HTML("option", ["value": "", "selected": .flag(chosen == nil)]) { strings("Not set") }
            }
            for (position, choice) in choices.enumerated() {
                HTML(
                    "option",
                    [
                        "value": .text(choice.id), "selected": .flag(position == chosen),
                        "dir": .optional(strings.optionDirection),
                    ]
                ) { choice.title }
            }
        }
    }

    /// Returns a locked menu. It has no name, so it sends nothing.
    private func lockedMenu(_ title: String, id: String, label: String?) -> HTML {
        HTML(
            "input",
            [
                "type": "text", "id": .text(id), "value": .text(title), "readonly": .present,
                "aria-label": .optional(label), "aria-describedby": .optional(description), "dir": "auto",
            ])
    }

    func choicesOfPart(
        _ choices: [(value: String, title: String)], _ text: String, name: StaticString, label: String, id: String
    ) -> HTML {
        let chosen = choices.firstIndex { $0.value == text }
        if isLocked { return lockedMenu(chosen.map { choices[$0].title } ?? "", id: id, label: label) }
        return HTML(
            "select",
            [
                "id": .text(id), "name": .text("\(name)"), "aria-label": .text(label),
                "aria-describedby": .optional(description),
            ]
        ) {
            for (position, choice) in choices.enumerated() {
                HTML(
                    "option",
                    [
                        "value": .text(choice.value), "selected": .flag(position == chosen),
                        "dir": .optional(strings.optionDirection),
                    ]
                ) { choice.title }
            }
        }
    }
}
