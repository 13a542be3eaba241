import Settle

extension ControlForm {
    /// A change that was not made.
    struct Submission: Sendable {
        /// The kind that showed the value, which is JSON where its control could not show it.
        let kind: ControlKind
        let isJSON: Bool
        let input: ControlInput
        /// Whether the setting was to be reset to its default.
        let isReset: Bool
        /// The version that the page showed before; `nil` if it shows the newest version together with the submission.
        var version: Version?
        var reason = Reason.refused(HTML())

        /// The change token of a form, and a fingerprint of the value at that time.
        struct Version: Sendable {
            let token: String
            let seen: String
        }

        enum Reason: Sendable {
            /// A sentence with the rule.
            case refused(HTML)
            /// Another user has changed the value since the page was made.
            case conflict(author: String?)

            func sentence(in strings: PanelStrings) -> HTML {
                switch self {
                case .refused(let sentence): return sentence
                case .conflict(let author?):
                    return strings.html("“%@” has changed this in the meantime.", strings.isolated(author))
                case .conflict(nil): return HTML(strings("This has changed in the meantime."))
                }
            }
        }
    }

    /// Returns the reason that it was not made, and the possible actions.
    @HTMLBuilder func explained(_ submission: Submission) -> HTML {
        HTML("p") { submission.reason.sentence(in: strings) }
        switch submission.reason {
        case .refused: keep
        case .conflict:
            HTML("dl") {
                HTML("dt") { strings("Current value") }
                HTML("dd") { state.value.map { shown($0) } ?? HTML(strings("Not set")) }
                HTML("dt") { strings("Yours") }
                HTML("dd") {
                    if submission.isReset {
                        strings("The default")
                    } else {
                        control.isSecret ? HTML("••••") : typed(submission)
                    }
                }
            }
            if submission.isReset {
                HTML("button", ["name": "action", "value": "reset", "formnovalidate": .present]) { strings("Reset") }
            } else if control.isSecret {
                // No page shows it, so a button could not save it.
                HTML("p") { strings("Type yours again to save it.") }
            } else {
                HTML("button", ["name": "action", "value": "save"]) { strings("Save mine") }
            }
            keep
        }
    }

    /// The button that discards the typed input.
    private var keep: HTML {
        let pane = context.contents.location(of: control.key, id: control.id)?.pane.id ?? ""
        return HTML(
            "a",
            [
                "class": "button quiet", "href": .text("\(context.returnPath(pane: pane))#\(control.id)"),
                "data-leave": .present,
            ]
        ) { strings("Keep the current value") }
    }

    private func typed(_ submission: Submission) -> HTML {
        let value = try? submission.input.value(for: control.shown(as: submission.kind))
        return (value ?? nil).map { shown($0) } ?? strings.isolated(submission.input.text)
    }
}
