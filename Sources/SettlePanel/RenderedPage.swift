import Settle

/// All forms of a new page.
struct RenderedPage: Sendable {
    private let forms: [String: HTML]
    /// The address of the stream of changes from this state on.
    let events: String

    /// - Parameters:
    ///   - controls: The settings on the page, if they are known.
    ///   - submission: The typed input for a setting that was not accepted.
    init(
        _ scope: PageScope, _ pages: PanelPages, controls: [Control]? = nil,
        submission: (control: Control, submission: ControlForm.Submission)? = nil
    ) {
        // Read the token before the forms, so that it is not newer than they are.
        let token = pages.panel.store.history.token
        let controls = controls ?? scope.controls(in: pages)
        let forms = controls.map { control in
            pages.rendered(control, submission.flatMap { $0.control.id == control.id ? $0.submission : nil })
        }
        self.forms = Dictionary(zip(controls.map(\.id), forms.map(\.html))) { first, _ in first }
        let outline = scope.outline(of: controls, in: pages.context.contents)
        events = scope.address(
            from: PageCursor(token: token, outline: outline, forms: forms.map(\.digest)), in: pages.context)
    }

    subscript(control: Control) -> HTML? { forms[control.id] }
}

extension PanelPages {
    /// Renders a setting in its current state.
    func rendered(_ control: Control, _ submission: ControlForm.Submission? = nil) -> RenderedForm {
        RenderedForm(form(control, submission))
    }
}
