import Settle

/// All forms of a page, as it is made.
struct RenderedPage: Sendable {
    private let forms: [String: HTML]
    /// The address of the stream of what changes from here on.
    let events: String

    /// - Parameter submission: What was typed for a setting and not taken.
    init(
        _ scope: PageScope, _ pages: PanelPages,
        submission: (control: Control, submission: ControlForm.Submission)? = nil
    ) {
        // Before the forms, so that it is not newer than they are.
        let token = pages.panel.store.history.token
        let controls = scope.controls(in: pages.context.contents)
        let forms = controls.map { control in
            pages.rendered(control, submission.flatMap { $0.control.id == control.id ? $0.submission : nil })
        }
        self.forms = Dictionary(zip(controls.map(\.id), forms.map(\.html))) { first, _ in first }
        let outline = scope.outline(in: pages.context.contents)
        events = scope.address(
            from: PageCursor(token: token, outline: outline, forms: forms.map(\.digest)), in: pages.context)
    }

    subscript(control: Control) -> HTML? { forms[control.id] }
}

extension PanelPages {
    /// A setting as it is now.
    func rendered(_ control: Control, _ submission: ControlForm.Submission? = nil) -> RenderedForm {
        RenderedForm(form(control, submission))
    }
}
