import Settle
import SettleHTTP
import SettleInterchange

/// A setting as a form, in which a user reads and changes one value, with or without a script.
struct ControlForm: Sendable {
    let context: PageContext
    let control: Control
    let state: ControlState
    /// The typed input that was not accepted; `nil` if there is none.
    let submission: Submission?
    private let shown: Shown

    /// The form in which a value is shown.
    fileprivate struct Shown: Sendable {
        let kind: ControlKind
        let input: ControlInput
        /// Whether the control can't show it without a loss.
        var isJSON = false
    }

    /// The maximum number of entries that get inputs of their own, which need hundreds of bytes each. A longer list or
    /// dictionary is shown as JSON.
    static let partLimit = 1000

    init(context: PageContext, control: Control, state: ControlState, submission: Submission?) {
        (self.context, self.control, self.state, self.submission) = (context, control, state, submission)
        shown = Shown(of: control, state, submission)
    }

    var strings: PanelStrings { context.strings }

    /// The form without the token of its ``version``.
    var html: HTML {
        HTML(
            "form",
            [
                "class": "control", "id": .text(control.id), "method": "post", "action": .text("\(context.base)/set"),
                "data-key": .text(control.key.description), "autocomplete": "off",
            ]
        ) {
            context.hiddenFields(["key": control.key.description, "seen": version.seen])
            if control.occurrence > 0 {
                HTML("input", ["type": "hidden", "name": "control", "value": .text(control.id)])
            }
            if shown.isJSON { HTML("input", ["type": "hidden", "name": "as", "value": "json"]) }
            // The Return key activates the first button. If that is disabled, the key sends nothing.
            HTML(
                "button",
                [
                    "class": "default", "name": "action", "value": "save", "tabindex": "-1", "aria-hidden": "true",
                    "disabled": .flag(obstacle != nil),
                ]
            ) { strings("Save") }
            HTML("div", ["class": "row"]) {
                head
                HTML("div", ["class": "field"]) {
                    field
                    if case .date = shown.kind { HTML("span", ["class": "unit"]) { "UTC" } }
                    if let unit = control.unit { HTML("span", ["class": "unit"]) { strings.isolated(unit) } }
                    if obstacle == nil {
                        HTML("button", ["class": "save", "name": "action", "value": "save"]) { strings("Save") }
                    }
                }
            }
            notes
            more
        }
    }

    /// The version that its hidden fields state. A user who corrects a refused input has not seen the changes that
    /// others have made meanwhile.
    var version: Submission.Version {
        submission?.version ?? .init(token: state.token?.description ?? "", seen: state.seen)
    }

    /// The same form as it is on a page without a search.
    var withoutSearch: ControlForm {
        var context = context
        context.search = nil
        return ControlForm(context: context, control: control, state: state, submission: submission)
    }

    /// Returns a value as a piece of a page.
    func shown(_ value: SettingValue) -> HTML { control.shown(value, strings) }

    // MARK: Parts

    private var head: HTML {
        HTML("div", ["class": "head"]) {
            let title = context.marked(control.title)
            if let titleID {
                HTML("span", ["class": "title", "id": .text(titleID)]) { title }
            } else {
                HTML("label", ["class": "title", "for": .text(inputID)]) { title }
            }
            if state.isChanged {
                HTML("span", ["class": "mark"]) { strings("Changed") }
            }
            why
            if isHelped {
                HTML("p", ["class": "help", "id": .text(helpID)]) {
                    context.marked(control.help ?? "")
                    for (index, rule) in control.rules.enumerated() {
                        if index == 0, let end = control.help?.last, !end.isPunctuation { "." }
                        if index > 0 || control.help != nil { " " }
                        rule.sentence(strings)
                    }
                }
            }
        }
    }

    /// The link to the page with the source of the value: one stop of the keyboard, which the style sheet shows only
    /// where a user is.
    private var why: HTML {
        HTML(
            "a",
            [
                "class": "why", "title": .text(strings("Why?")),
                "href": .text(context.path("why", ["key": control.key.description])),
            ]
        ) {
            HTML("span", ["aria-hidden": "true"]) { "i" }
            HTML("span", ["class": "hidden"]) { "\(strings("Why?")) \(control.title)" }
        }
    }

    @HTMLBuilder private var more: HTML {
        if obstacle == nil, state.isStored {
            HTML("div", ["class": "more"]) {
                HTML("button", ["class": "quiet", "name": "action", "value": "reset", "formnovalidate": .present]) {
                    strings(control.isSecret ? "Clear" : "Reset")
                    HTML("span", ["class": "hidden"]) { " \(control.title)" }
                }
            }
        }
    }

    // MARK: Inputs

    private var inputID: String { "\(control.id).value" }

    /// The title element of controls that no label can name: several inputs, and a switch that is not an input.
    private var titleID: String? {
        switch shown.kind {
        case .choice(_, .radio), .list, .dictionary: "\(control.id).title"
        case .toggle: obstacle == nil ? nil : "\(control.id).title"
        default: nil
        }
    }

    private var field: HTML {
        if shown.kind.isLabel { return HTML("output", ["id": .text(inputID)]) { state.value.map { self.shown($0) } } }
        let field = ControlField(
            kind: shown.kind, id: inputID, label: control.title, titleID: titleID, description: description,
            isLocked: obstacle != nil, isOptional: control.isOptional, isInvalid: submission != nil, isSet: state.isSet,
            strings: strings, imagePath: { "\(context.base)/image?name=\(PercentEncoding.encoded($0))" })
        return field.html(shown.input)
    }
}

extension ControlForm.Shown {
    fileprivate init(of control: Control, _ state: ControlState, _ submission: ControlForm.Submission?) {
        if let submission, !submission.isReset {
            self.init(kind: submission.kind, input: submission.input, isJSON: submission.isJSON)
        } else if let input = ControlInput(state.value, for: control.kind), input.parts.count <= ControlForm.partLimit {
            self.init(kind: control.kind, input: input)
        } else if !control.isSecret, !control.kind.isLabel, let value = state.value, value != .null,
            let input = ControlInput(value, for: .json)
        {
            self.init(kind: .json, input: input, isJSON: true)
        } else {
            self.init(kind: control.kind, input: ControlInput())
        }
    }
}
