import Settle

/// All forms of a page, as it is made.
struct PageForms: Sendable {
    private let forms: [String: MarkedForm]
    /// The address of the stream that tells what changes from here on.
    let events: String

    /// - Parameter attempt: What was typed for a setting and not taken.
    init(
        of page: ShownPage, _ pages: PanelPages, attempt: (control: Control, attempt: ControlForm.Attempt)? = nil
    ) {
        // Before the forms, so that it is not newer than they are.
        let token = pages.panel.store.history.token
        let controls = page.controls(in: pages.context.contents)
        let forms = controls.map { control in
            pages.marked(control, attempt.flatMap { $0.control.id == control.id ? $0.attempt : nil })
        }
        self.forms = Dictionary(zip(controls.map(\.id), forms)) { first, _ in first }
        let outline = page.outline(in: pages.context.contents)
        events = page.address(
            from: PagePlace(token: token, outline: outline, forms: forms.map(\.mark)), in: pages.context)
    }

    subscript(control: Control) -> HTML? { forms[control.id]?.html }
}

extension PanelPages {
    /// A setting as it is now.
    func marked(_ control: Control, _ attempt: ControlForm.Attempt? = nil) -> MarkedForm {
        MarkedForm(form(control, attempt))
    }
}
