import Settle

/// The contents of a panel, in panes.
struct PanelContents: Sendable {
    let title: String
    /// The panes. The first one is shown first.
    let panes: [Pane]
    /// The indices of the panes by identifier.
    private let indices: [Name: Int]
    /// The language of the texts, if known.
    var language: String?
    /// Whether the program has its own icon.
    var hasIcon = false
    /// Whether it covers everything stored, including keys that are not shown at the moment.
    var isEverything = false

    /// - Parameter indices: The indices of the panes by identifier, if they are known.
    init(title: String, panes: [Pane], indices: [Name: Int]? = nil) {
        (self.title, self.panes) = (title, panes)
        self.indices =
            indices ?? Dictionary(panes.enumerated().map { (Name($1.id), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Settings that belong together on one page.
    struct Pane: Sendable {
        /// The identifier of the pane in addresses; empty for the first one.
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
        /// A link to another pane.
        case pane(id: String, title: String)
        /// A link to a page elsewhere, or to a new email; without an address, to something that only the program has.
        case link(title: String, address: String?)
    }

    func pane(_ id: String) -> Pane? { indices[Name(id)].map { panes[$0] } }

    /// Returns the location of a key.
    ///
    /// - Parameter id: The identifier of one of several controls of the key. Without it, the first one counts.
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

    /// Returns whether an undo may write a key. Keys that are not shown, can't be changed here, or are secrets are left
    /// alone.
    func mayUndo(at key: SettingKey) -> Bool {
        if controls(touchedBy: key).contains(where: { $0.isOwners || $0.isSecret }) { return false }
        return isEverything || controls.contains { $0.isWritable && ($0.key == key || key.isWithin($0.key)) }
    }

    var controls: [Control] { panes.flatMap(\.controls) }

    /// Returns the title of a key's setting, or the key if no control has it.
    func title(of key: String) -> String { controls.first { $0.key.description == key }?.title ?? key }

    /// Returns the controls that a change of a key may affect.
    func controls(touchedBy key: SettingKey) -> [Control] {
        controls.filter { $0.key == key || $0.key.isWithin(key) || key.isWithin($0.key) }
    }
}
