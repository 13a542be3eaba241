import Settle
import SettleInterchange

extension PanelContents {
    /// Creates the panes of a bundle, each with the first one that leads to it.
    init(_ localized: LocalizedBundle, of store: SettingsStore, title: String) {
        let bundle = localized.bundle
        var rows = BundleRows(localized, store)
        let panes = bundle.panes.map { pane in
            Pane(
                id: localized.id(of: pane.file), title: localized.title(of: pane, in: title),
                parent: localized.parent(of: pane), sections: pane.sections.compactMap { rows.section($0) })
        }
        self.init(title: bundle.title?.visible ?? title, panes: panes, indices: localized.indices)
        (language, hasIcon) = (localized.language, bundle.icon != nil)
    }
}

/// Makes the rows of a bundle's panes, one pane after the other.
///
/// A bundle may have one setting twice, for phones and for pads, whose screens are more like those of a browser. So the
/// specifiers for pads are shown, and those for other devices where none for pads has their key: every setting stays
/// reachable.
private struct BundleRows {
    private let localized: LocalizedBundle
    private let store: SettingsStore
    private var counts: [SettingKey: Int] = [:]

    init(_ localized: LocalizedBundle, _ store: SettingsStore) { (self.localized, self.store) = (localized, store) }

    /// Returns a section; `nil` if it is empty.
    mutating func section(_ section: SettingsBundle.Section) -> PanelContents.Section? {
        let shown = section.specifiers.filter { isShown($0) }
        let hasHeadings = section.idioms?.contains(.pad) ?? true || !shown.isEmpty
        var result = PanelContents.Section(
            title: hasHeadings ? section.title?.visible : nil, footer: hasHeadings ? section.footer?.visible : nil)
        for specifier in shown {
            if let row = row(specifier, [result.title, result.footer].compactMap(\.self)) { result.rows.append(row) }
        }
        return result.rows.isEmpty && result.title == nil && result.footer == nil ? nil : result
    }

    private func isShown(_ specifier: SettingsBundle.Specifier) -> Bool {
        specifier.isShown(on: .pad) || specifier.key.map { !localized.keysOnPads.contains($0) } ?? false
    }

    private mutating func row(
        _ specifier: SettingsBundle.Specifier, _ surroundings: [String]
    ) -> PanelContents.Row? {
        switch specifier.kind {
        case .group: return nil
        case .childPane(let child):
            guard localized.hasPane(child.file) else { return nil }
            return .pane(id: localized.id(of: child.file), title: specifier.title?.visible ?? child.file.asTitle)
        case .titleValue(let label) where specifier.key == nil:
            let value = specifier.defaultValue
            return .text(
                title: specifier.title ?? "",
                text: value.flatMap { label.title(for: $0) } ?? value?.spelledForPeople ?? "")
        case .link(let link):
            let title = specifier.title?.visible ?? link.url.visible
            return title.map { .link(title: $0, address: link.webAddress) }
        case .mailDraft(let draft):
            let title = specifier.title?.visible ?? draft.recipients.first?.visible
            return title.map { .link(title: $0, address: draft.address) }
        case .button: return specifier.title?.visible.map { .link(title: $0, address: nil) }
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
        self.init(
            key: key, title: specifier.title?.visible ?? name.asTitle, kind: kind, isOwners: declared?.access == .owner,
            defaultValue: specifier.defaultValue,
            problem: {
                // A bundle's key has no declaration, so its own description is the rule. Made when a value is to be
                // checked: each page has all controls.
                ValueProblem(of: $0, SchemaCheck(kind.schema))
            })
    }
}
