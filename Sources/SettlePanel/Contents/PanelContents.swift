import Settle

/// Everything that a panel shows, in panes.
struct PanelContents: Sendable {
    let title: String
    /// The first one is shown first.
    let panes: [Pane]
    /// The language of the texts, if it is known.
    var language: String?
    /// Whether the program has an icon of its own.
    var hasIcon = false
    /// Whether it is about whatever is stored, also about what is not shown just now.
    var isEverything = false

    /// Settings that belong together on one page.
    struct Pane: Sendable {
        /// Names the pane in addresses; empty for the first one.
        let id: String
        let title: String
        /// The pane that leads here; `nil` for the first one.
        let parent: String?
        let sections: [Section]

        var controls: [Control] { sections.flatMap(\.controls) }
    }

    /// A part of a pane.
    struct Section: Sendable {
        var title: String?
        var footer: String?
        var rows: [Row] = []

        var controls: [Control] {
            rows.compactMap { if case .control(let control) = $0 { control } else { nil } }
        }
    }

    enum Row: Sendable {
        case control(Control)
        /// A text that never changes.
        case text(title: String, text: String)
        /// Leads to another pane.
        case pane(id: String, title: String)
    }

    func pane(_ id: String) -> Pane? { panes.first { $0.id.hasSameBytes(as: id) } }

    /// Where a key is shown.
    ///
    /// - Parameter id: The identifier of one of several controls of the key; otherwise the first one counts.
    func location(of key: SettingKey, id: String? = nil) -> (pane: Pane, control: Control)? {
        var first: (pane: Pane, control: Control)?
        for pane in panes {
            for control in pane.controls where control.key == key {
                if id == nil || control.id == id { return (pane, control) }
                if first == nil { first = (pane, control) }
            }
        }
        return first
    }

    /// Whether an undo may write a key: what is not shown, or can't be changed here, or is a secret, is left alone.
    func mayUndo(at key: SettingKey) -> Bool {
        if controls(touchedBy: key).contains(where: { $0.isOwners || $0.isSecret }) { return false }
        return isEverything || controls.contains { $0.isWritable && ($0.key == key || key.isWithin($0.key)) }
    }

    var controls: [Control] { panes.flatMap(\.controls) }

    /// The controls that a change of a key may concern.
    func controls(touchedBy key: SettingKey) -> [Control] {
        controls.filter { $0.key == key || $0.key.isWithin(key) || key.isWithin($0.key) }
    }
}
