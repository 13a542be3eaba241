import Settle

extension ControlForm {
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
        var reason = Reason.refused(HTML())

        /// The place in the history that a form is of, and the value there.
        struct Place: Sendable {
            let token: String
            let seen: String
        }

        enum Reason: Sendable {
            /// A sentence with the rule.
            case refused(HTML)
            /// Somebody else has changed the value since the page was made.
            case conflict(author: String?)
        }
    }

    /// Why it was not made, and what can be done.
    @HTMLBuilder func explained(_ attempt: Attempt) -> HTML {
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
}
