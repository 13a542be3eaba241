import Settle

/// What is other in a form than in the one that a page was told before: with it, the page's script changes the form in place,
/// which costs a browser much less than to read and lay out a whole form.
///
/// It says of which form and to which form it leads. A page that does not show the first one asks for the whole.
struct FormPatch: Sendable {
    let id: String
    let from: FormMark
    let to: FormMark
    let place: ControlForm.Attempt.Place
    /// Without the place, which a page may have from elsewhere.
    let differences: HTMLDifferences

    /// - Returns: `nil` if the forms don't have the same elements and texts.
    init?(from old: MarkedForm, to new: MarkedForm) {
        guard old.id == new.id,
            let differences = HTMLDifferences(from: old.bare, to: new.bare, leavingOut: ["token", "seen"])
        else { return nil }
        (id, from, to, place) = (new.id, old.mark, new.mark, new.place)
        self.differences = differences
    }

    /// As a page's script reads it.
    var value: SettingValue {
        let changes = differences.changes.map { change -> SettingValue in
            switch change {
            case .attribute(let element, let name, let value):
                .array([.integer(Int64(element)), .string(name), value.map { .string($0) } ?? .null])
            case .text(let element, let child, let text):
                .array([.integer(Int64(element)), .integer(Int64(child)), .string(text)])
            }
        }
        return .dictionary([
            "id": .string(id), "from": .string(from.text), "to": .string(to.text), "token": .string(place.token),
            "seen": .string(place.seen), "elements": .integer(Int64(differences.elementCount)),
            "changes": .array(changes),
        ])
    }
}
