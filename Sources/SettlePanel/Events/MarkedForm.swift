import Settle

/// A form with its mark.
struct MarkedForm: Sendable {
    let id: String
    /// Without the mark.
    let bare: HTML
    let mark: FormMark
    /// What its hidden fields say that it shows.
    let place: ControlForm.Attempt.Place

    init(_ form: ControlForm) {
        (id, place) = (form.control.id, form.place)
        bare = form.html(at: place)
        mark = FormMark(of: bare)
    }

    /// As a page has it: the mark is an attribute, so that the page's script can tell what it shows.
    var html: HTML { bare.adding("data-mark", mark.text) }
}

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
