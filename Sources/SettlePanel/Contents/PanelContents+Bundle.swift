import Settle
import SettleInterchange

extension PanelContents {
    /// Creates the panes of a bundle, each with the first one that leads to it.
    init(_ bundle: SettingsBundle, of store: SettingsStore, title: String) {
        var parents: [String: String] = [:]
        var titles: [String: String] = [:]
        for pane in bundle.panes {
            for specifier in pane.specifiers {
                guard case .childPane(let child) = specifier.kind, child.file != bundle.root.file,
                    parents[child.file] == nil
                else { continue }
                parents[child.file] = pane.file
                titles[child.file] = specifier.title
            }
        }
        func id(_ file: String) -> String { file == bundle.root.file ? "" : file }
        var rows = BundleRows(bundle, store)
        var panes: [Pane] = []
        for pane in bundle.panes {
            panes.append(
                Pane(
                    id: id(pane.file),
                    title: pane.title ?? titles[pane.file]
                        ?? (pane.file == bundle.root.file ? bundle.title ?? title : pane.file.asTitle),
                    parent: parents[pane.file].map(id), sections: pane.sections.compactMap { rows.section($0) }))
        }
        self.init(title: bundle.title ?? title, panes: panes)
    }
}

/// Makes the rows of a bundle's panes, one pane after the other.
///
/// A bundle may have one setting twice, for phones and for pads, whose screens are more like those of a browser. So the
/// specifiers for pads are shown, and those for other devices where none for pads has their key: every setting stays
/// reachable.
private struct BundleRows {
    private let bundle: SettingsBundle
    private let store: SettingsStore
    private let keysOnPads: Set<String>
    private var counts: [SettingKey: Int] = [:]

    init(_ bundle: SettingsBundle, _ store: SettingsStore) {
        (self.bundle, self.store) = (bundle, store)
        keysOnPads = Set(bundle.panes.flatMap(\.specifiers).filter { $0.isShown(on: .pad) }.compactMap(\.key))
    }

    /// Returns a section; `nil` if it is empty.
    mutating func section(_ section: SettingsBundle.Section) -> PanelContents.Section? {
        let shown = section.specifiers.filter { isShown($0) }
        let hasHeadings = section.idioms?.contains(.pad) ?? true || !shown.isEmpty
        var result = PanelContents.Section(
            title: hasHeadings ? section.title : nil, footer: hasHeadings ? section.footer : nil)
        for specifier in shown {
            if let row = row(specifier, [result.title, result.footer].compactMap(\.self)) { result.rows.append(row) }
        }
        return result.rows.isEmpty && result.title == nil && result.footer == nil ? nil : result
    }

    private func isShown(_ specifier: SettingsBundle.Specifier) -> Bool {
        specifier.isShown(on: .pad) || specifier.key.map { !keysOnPads.contains($0) } ?? false
    }

    private mutating func row(
        _ specifier: SettingsBundle.Specifier, _ surroundings: [String]
    ) -> PanelContents.Row? {
        switch specifier.kind {
        case .group: return nil
        case .childPane(let child):
            guard bundle.pane(named: child.file) != nil else { return nil }
            return .pane(
                id: child.file == bundle.root.file ? "" : child.file, title: specifier.title ?? child.file.asTitle)
        case .titleValue(let label) where specifier.key == nil:
            let value = specifier.defaultValue
            return .text(
                title: specifier.title ?? "",
                text: value.flatMap { label.title(for: $0) } ?? value?.spelledForPeople ?? "")
        default:
            guard var control = Control(specifier, in: store) else { return nil }
            control.occurrence = counts[control.key, default: 0]
            control.surroundings = surroundings
            counts[control.key, default: 0] += 1
            return .control(control)
        }
    }
}

extension Control {
    fileprivate init?(_ specifier: SettingsBundle.Specifier, in store: SettingsStore) {
        guard let name = specifier.key, let key = store.keys.key(named: name) else { return nil }
        let declared = store.keys.setting(forKey: key.description)
        guard let kind = ControlKind(specifier, for: declared?.shape.kind) else { return nil }
        // A bundle's key has no declaration, so its own description is the rule.
        let rule = DeclaredSetting(key: key, schema: kind.schema)
        self.init(
            key: key, title: specifier.title ?? name.asTitle, kind: kind, isOwners: declared?.access == .owner,
            defaultValue: specifier.defaultValue, refusal: { rule.refusal(of: $0) })
    }
}
