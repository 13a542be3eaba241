import Settle
import SettleInterchange

/// A setting as a form: with it, a person reads and changes one value, with or without a script.
struct ControlForm: Sendable {
    let context: PageContext
    let control: Control
    let state: ControlState
    /// What was typed and not taken; `nil` if nothing was.
    var attempt: Attempt?

    /// A change that was not made.
    struct Attempt: Sendable {
        let input: ControlInput
        let reason: Reason

        enum Reason: Sendable {
            /// A sentence with the rule.
            case refused(String)
            /// Somebody else has changed the value since the page was made.
            case conflict(author: String?)
        }
    }

    private var words: PanelWords { context.words }
    private var inputID: String { "\(control.id).value" }
    private var helpID: String { "\(control.id).help" }
    private var problemID: String { "\(control.id).problem" }

    /// Why a person can't change it here; `nil` if that is possible.
    private var obstacle: String? {
        if control.isOwners { return words("Only the program itself changes this.") }
        if let lock = state.lock { return words("Locked by %@.", lock) }
        if case .label = control.kind { return "" }
        return nil
    }

    var html: HTML {
        HTML(
            "form",
            [
                "class": "control", "id": .text(control.id), "method": "post", "action": .text("\(context.base)/set"),
                "data-key": .text(control.key.description), "data-immediate": .flag(control.kind.isImmediate),
                "data-changed": .flag(state.differsFromDefault), "autocomplete": "off",
            ]
        ) {
            context.hiddenFields([
                "key": control.key.description, "token": state.token?.description ?? "",
                "seen": state.fingerprint ?? "",
            ])
            if control.occurrence > 0 {
                HTML("input", ["type": "hidden", "name": "control", "value": .text(control.id)])
            }
            if let kind = shown.fallback { HTML("input", ["type": "hidden", "name": "as", "value": .text(kind)]) }
            // The first button is what the Return key presses.
            HTML(
                "button",
                ["class": "default", "name": "action", "value": "save", "tabindex": "-1", "aria-hidden": "true"]
            ) { words("Save") }
            HTML("div", ["class": "row"]) {
                head
                HTML("div", ["class": "field"]) {
                    field
                    if case .date = shown.kind { HTML("span", ["class": "unit"]) { "UTC" } }
                    if let unit = control.unit { HTML("span", ["class": "unit"]) { unit } }
                    if obstacle == nil {
                        HTML("button", ["class": "save", "name": "action", "value": "save"]) { words("Save") }
                    }
                }
            }
            notes
            more
        }
    }

    // MARK: Parts

    private var isGroup: Bool {
        switch shown.kind {
        case .choice(_, .radio), .list, .dictionary: true
        default: false
        }
    }

    private var head: HTML {
        HTML("div", ["class": "head"]) {
            if isGroup {
                HTML("span", ["class": "title", "id": .text("\(control.id).title")]) { control.title }
            } else {
                HTML("label", ["class": "title", "for": .text(inputID)]) { control.title }
            }
            if state.differsFromDefault {
                HTML("span", ["class": "mark"]) { words("Changed") }
            }
            if let help = control.help { HTML("p", ["class": "help", "id": .text(helpID)]) { help } }
        }
    }

    @HTMLBuilder private var notes: HTML {
        if let attempt {
            HTML("div", ["class": "problem", "id": .text(problemID), "role": "alert"]) { explained(attempt) }
        }
        if let problem = state.problem { HTML("p", ["class": "problem"]) { words(problem) } }
        if let value = state.value, control.kind.isStray(value) {
            HTML("p", ["class": "note"]) { words("What is stored is none of these: %@.", spelled(value)) }
        }
        if let obstacle, !obstacle.isEmpty { HTML("p", ["class": "note"]) { obstacle } }
        if state.isCovered {
            HTML("p", ["class": "note"]) {
                let value = state.covering.map(spelled)
                words("What is stored here does not count while “%@” has a value.", words.name(of: state.domain))
                if let value { " " + words("In force: %@.", value) }
            }
        }
    }

    private var more: HTML {
        HTML("div", ["class": "more"]) {
            if obstacle == nil, state.isStored {
                HTML("button", ["class": "quiet", "name": "action", "value": "reset"]) {
                    words(control.isSecret ? "Clear" : "Reset")
                    HTML("span", ["class": "hidden"]) { " \(control.title)" }
                }
            }
            HTML("a", ["href": .text(context.path("why", ["key": control.key.description]))]) {
                words("Why?")
                HTML("span", ["class": "hidden"]) { " \(control.title)" }
            }
        }
    }

    @HTMLBuilder private func explained(_ attempt: Attempt) -> HTML {
        switch attempt.reason {
        case .refused(let sentence): HTML("p") { sentence }
        case .conflict(let author):
            HTML("p") {
                if let author {
                    words("“%@” has changed this meanwhile.", author)
                } else {
                    words("This has been changed meanwhile.")
                }
            }
            HTML("dl") {
                HTML("dt") { words("There now") }
                HTML("dd") { state.value.map(spelled) ?? words("Not set") }
                HTML("dt") { words("Yours") }
                HTML("dd") { control.isSecret ? "••••" : typed(attempt.input) }
            }
            HTML("button", ["name": "action", "value": "save"]) { words("Save mine") }
            HTML("a", ["class": "button quiet", "href": .text(leave)]) { words("Keep what is there") }
        }
    }

    private var leave: String {
        let pane = context.contents.place(of: control.key, id: control.id)?.pane.id ?? ""
        return "\(context.panePath(pane))#\(control.id)"
    }

    private func typed(_ input: ControlInput) -> String {
        let value = try? input.value(for: control)
        return (value ?? nil).map(spelled) ?? input.text
    }

    private func spelled(_ value: SettingValue) -> String { control.spelled(value, words) }

    // MARK: Inputs

    /// How the value is shown: as declared, or as JSON if the control can't show it without a loss.
    private var shown: (kind: ControlKind, input: ControlInput, fallback: String?) {
        if let attempt { return (control.kind, attempt.input, nil) }
        if let input = ControlInput(state.value, for: control.kind) { return (control.kind, input, nil) }
        guard !control.isSecret, let value = state.value, value != .null,
            let input = ControlInput(value, for: .json)
        else { return (control.kind, ControlInput(), nil) }
        if case .label = control.kind { return (control.kind, ControlInput(), nil) }
        return (.json, input, "json")
    }

    private var field: HTML {
        let (kind, input, _) = shown
        let field = ControlField(
            kind: kind, id: inputID, label: control.title, titleID: isGroup ? "\(control.id).title" : nil,
            description: description, isDisabled: obstacle != nil, isOptional: control.isOptional,
            isInvalid: attempt != nil, isSet: state.isSet, words: words,
            imagePath: { "\(context.base)/image?name=\($0)" })
        if case .label = kind { return HTML("output", ["id": .text(inputID)]) { state.value.map(spelled) ?? "" } }
        return field.html(input)
    }

    private var description: String? {
        let ids = [attempt.map { _ in problemID }, control.help.map { _ in helpID }].compactMap(\.self)
        return ids.isEmpty ? nil : ids.joined(separator: " ")
    }
}

extension Control {
    /// A value in words.
    func spelled(_ value: SettingValue, _ words: PanelWords) -> String {
        guard !isSecret else { return "••••" }
        switch kind {
        case .choice(let choices, _), .label(let choices):
            if let place = choices.place(matching: value) { return choices[place].title }
        case .toggle(let toggle):
            if let isOn = toggle.state(of: value) { return isOn ? words("On") : words("Off") }
        default: break
        }
        switch value {
        case .null: return words("Not set")
        case .string(let text): return text
        default: return value.spelledForPeople + (unit.map { " \($0)" } ?? "")
        }
    }
}
