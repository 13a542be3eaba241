import Settle

/// The notes about a setting, beside its inputs and as their description.
extension ControlForm {
    var helpID: String { "\(control.id).help" }
    private var problemID: String { "\(control.id).problem" }
    private var mistakeID: String { "\(control.id).mistake" }
    private var strayID: String { "\(control.id).stray" }
    private var obstacleID: String { "\(control.id).obstacle" }
    private var coverID: String { "\(control.id).cover" }

    var isHelped: Bool { control.help != nil || !control.rules.isEmpty }

    /// The reason that a user can't change it here; `nil` if a user can.
    var obstacle: HTML? {
        if control.isOwners { return HTML(strings("Only the program itself changes this.")) }
        if let lock = state.lock { return strings.html("Locked by %@.", strings.english(lock)) }
        if control.kind.isLabel { return HTML() }
        return nil
    }

    /// Whether the shown value is not one of the choices.
    private var isStray: Bool { state.value.map { control.kind.isStray($0) } ?? false }

    /// Whether a note reports the covering value. A lock already reports it, unless something is stored.
    private var isCoverTold: Bool { state.isCovered && (state.lock == nil || state.isStored) }

    @HTMLBuilder var notes: HTML {
        if let submission {
            HTML("div", ["class": "problem", "id": .text(problemID), "role": "alert"]) { explained(submission) }
        }
        if let unusable = state.unusable {
            HTML("p", ["class": "problem", "id": .text(mistakeID)]) { control.note(about: unusable, strings) }
        }
        if isStray {
            HTML("p", ["class": "note", "id": .text(strayID)]) {
                strings.html("What is stored is none of these: %@.", state.value.map { shown($0) } ?? HTML())
            }
        }
        if let obstacle, obstacle != HTML() { HTML("p", ["class": "note", "id": .text(obstacleID)]) { obstacle } }
        if isCoverTold {
            HTML("p", ["class": "note", "id": .text(coverID)]) {
                let name = strings.isolated(strings.name(of: state.domain))
                strings.html("What is stored here does not count while “%@” has a value.", name)
                if let value = state.covering {
                    " "
                    strings.html("In force: %@.", shown(value))
                }
            }
        }
    }

    /// The elements that describe the inputs; `nil` if there are none.
    var description: String? {
        let ids = [
            (problemID, submission != nil), (mistakeID, state.unusable != nil), (strayID, isStray), (helpID, isHelped),
            (obstacleID, obstacle.map { $0 != HTML() } ?? false), (coverID, isCoverTold),
        ].filter(\.1).map(\.0)
        return ids.isEmpty ? nil : ids.joined(separator: " ")
    }
}
