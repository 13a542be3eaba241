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
        /// Leads to another pane.
        case pane(id: String, title: String)
    }

    func pane(_ id: String) -> Pane? { panes.first { $0.id.hasSameBytes(as: id) } }

    /// Where a key is shown.
    func place(of key: SettingKey) -> (pane: Pane, control: Control)? {
        for pane in panes {
            if let control = pane.controls.first(where: { $0.key == key }) { return (pane, control) }
        }
        return nil
    }

    var controls: [Control] { panes.flatMap(\.controls) }

    /// The controls that a change of a key may concern.
    func controls(touchedBy key: SettingKey) -> [Control] {
        controls.filter { $0.key == key || $0.key.isWithin(key) || key.isWithin($0.key) }
    }
}
