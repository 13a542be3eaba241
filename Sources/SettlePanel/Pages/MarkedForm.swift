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
