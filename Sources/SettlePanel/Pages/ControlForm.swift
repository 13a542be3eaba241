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
        /// How the value was shown, which is JSON where its control could not show it.
        let kind: ControlKind
        let isJSON: Bool
        let input: ControlInput
        /// Whether the setting was to get its default.
        let isReset: Bool
        /// What the page has shown before; `nil` if it shows the newest with it.
        var place: Place?
        var reason = Reason.refused("")

        /// The place in the history that a form is of, and the value there.
        struct Place: Sendable {
            let token: String
            let seen: String
        }

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
    private var mistakeID: String { "\(control.id).mistake" }
    private var strayID: String { "\(control.id).stray" }
    private var obstacleID: String { "\(control.id).obstacle" }
    private var coverID: String { "\(control.id).cover" }

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
                "data-key": .text(control.key.description), "autocomplete": "off",
            ]
        ) {
            // Who corrects what was refused has not seen what others have done meanwhile.
            let place = attempt?.place ?? .init(token: state.token?.description ?? "", seen: state.seen)
            context.hiddenFields(["key": control.key.description, "token": place.token, "seen": place.seen])
            if control.occurrence > 0 {
                HTML("input", ["type": "hidden", "name": "control", "value": .text(control.id)])
            }
            if shown.isJSON { HTML("input", ["type": "hidden", "name": "as", "value": "json"]) }
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

    /// Whether what is stored is none of what there is to choose from.
    private var isStray: Bool { state.value.map { control.kind.isStray($0) } ?? false }

    /// A lock says it already, unless something is stored.
    private var isCoverTold: Bool { state.isCovered && (state.lock == nil || state.isStored) }

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
        if let problem = state.problem { HTML("p", ["class": "problem", "id": .text(mistakeID)]) { words(problem) } }
        if isStray {
            HTML("p", ["class": "note", "id": .text(strayID)]) {
                words("What is stored is none of these: %@.", state.value.map(spelled) ?? "")
            }
        }
        if let obstacle, !obstacle.isEmpty { HTML("p", ["class": "note", "id": .text(obstacleID)]) { obstacle } }
        if isCoverTold {
            HTML("p", ["class": "note", "id": .text(coverID)]) {
                let value = state.covering.map(spelled)
                words("What is stored here does not count while “%@” has a value.", words.name(of: state.domain))
                if let value { " " + words("In force: %@.", value) }
            }
        }
    }

    private var more: HTML {
        HTML("div", ["class": "more"]) {
            if obstacle == nil, state.isStored {
                HTML("button", ["class": "quiet", "name": "action", "value": "reset", "formnovalidate": .present]) {
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
        case .refused(let sentence):
            HTML("p") { sentence }
            keep
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
                HTML("dd") { attempt.isReset ? words("The default") : control.isSecret ? "••••" : typed(attempt) }
            }
            if attempt.isReset {
                HTML("button", ["name": "action", "value": "reset", "formnovalidate": .present]) { words("Reset") }
            } else if control.isSecret {
                // It is in no page, so a button could not save it.
                HTML("p") { words("Type yours again to save it.") }
            } else {
                HTML("button", ["name": "action", "value": "save"]) { words("Save mine") }
            }
            keep
        }
    }

    /// Forgets what was typed.
    private var keep: HTML {
        let pane = context.contents.place(of: control.key, id: control.id)?.pane.id ?? ""
        return HTML(
            "a",
            ["class": "button quiet", "href": .text("\(context.panePath(pane))#\(control.id)"), "data-leave": .present]
        ) { words("Keep what is there") }
    }

    private func typed(_ attempt: Attempt) -> String {
        let value = try? attempt.input.value(for: control.shown(as: attempt.kind))
        return (value ?? nil).map(spelled) ?? attempt.input.text
    }

    private func spelled(_ value: SettingValue) -> String { control.spelled(value, words) }

    // MARK: Inputs

    /// How the value is shown: as declared, or as JSON if the control can't show it without a loss.
    private var shown: (kind: ControlKind, input: ControlInput, isJSON: Bool) {
        if let attempt, !attempt.isReset { return (attempt.kind, attempt.input, attempt.isJSON) }
        if let input = ControlInput(state.value, for: control.kind) { return (control.kind, input, false) }
        guard !control.isSecret, let value = state.value, value != .null,
            let input = ControlInput(value, for: .json)
        else { return (control.kind, ControlInput(), false) }
        if case .label = control.kind { return (control.kind, ControlInput(), false) }
        return (.json, input, true)
    }

    private var field: HTML {
        let (kind, input, _) = shown
        let field = ControlField(
            kind: kind, id: inputID, label: control.title, titleID: isGroup ? "\(control.id).title" : nil,
            description: description, isDisabled: obstacle != nil, isOptional: control.isOptional,
            isInvalid: attempt != nil, isSet: state.isSet, words: words,
            imagePath: { "\(context.base)/image?name=\(PercentEncoding.encoded($0))" })
        if case .label = kind { return HTML("output", ["id": .text(inputID)]) { state.value.map(spelled) ?? "" } }
        return field.html(input)
    }

    private var description: String? {
        let ids = [
            (problemID, attempt != nil), (mistakeID, state.problem != nil), (strayID, isStray),
            (helpID, control.help != nil), (obstacleID, obstacle?.isEmpty == false), (coverID, isCoverTold),
        ].filter(\.1).map(\.0)
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
