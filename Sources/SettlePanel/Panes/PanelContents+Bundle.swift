import Settle
import SettleInterchange

extension PanelContents {
    /// The panes of a bundle, each with the first one that leads to it.
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
        let panes = bundle.panes.map { pane in
            Pane(
                id: id(pane.file),
                title: pane.title ?? titles[pane.file]
                    ?? (pane.file == bundle.root.file ? bundle.title ?? title : pane.file.asTitle),
                parent: parents[pane.file].map(id),
                sections: pane.sections.compactMap { Section($0, of: bundle, store) })
        }
        self.init(title: bundle.title ?? title, panes: panes)
    }
}

extension PanelContents.Section {
    /// `nil` for a section that is not for a page of this kind, or has nothing in it.
    fileprivate init?(_ section: SettingsBundle.Section, of bundle: SettingsBundle, _ store: SettingsStore) {
        let rows = section.specifiers.compactMap { specifier -> PanelContents.Row? in
            guard case .childPane(let child) = specifier.kind else {
                return Control(specifier, in: store).map { .control($0) }
            }
            guard bundle.pane(named: child.file) != nil else { return nil }
            return .pane(
                id: child.file == bundle.root.file ? "" : child.file, title: specifier.title ?? child.file.asTitle)
        }
        guard !rows.isEmpty || section.title != nil || section.footer != nil else { return nil }
        self.init(title: section.title, footer: section.footer, rows: rows)
    }
}

extension Control {
    fileprivate init?(_ specifier: SettingsBundle.Specifier, in store: SettingsStore) {
        guard let name = specifier.key, let key = store.key(named: name), let kind = ControlKind(specifier) else {
            return nil
        }
        self.init(
            key: key, title: specifier.title ?? name.asTitle, kind: kind,
            isOwners: store.setting(forKey: key.description)?.access == .owner, defaultValue: specifier.defaultValue)
    }
}

extension ControlKind {
    fileprivate init?(_ specifier: SettingsBundle.Specifier) {
        switch specifier.kind {
        case .group, .childPane: return nil
        case .textField(let field): self = field.isSecure ? .secret : .text(TextInput(field))
        case .titleValue(let label): self = .label(label.choices.map(Choice.init))
        case .toggle(let toggle): self = .toggle(on: toggle.trueValue, off: toggle.falseValue)
        case .slider(let slider):
            self = .number(
                NumberInput(
                    isInteger: false, minimum: .real(slider.minimum), maximum: .real(slider.maximum), isSlider: true,
                    minimumImage: slider.minimumImage, maximumImage: slider.maximumImage))
        case .multiValue(let list):
            self = .choice(list.shownChoices.map(Choice.init), style: .select)
        case .radioGroup(let group):
            self = .choice(group.shownChoices.map(Choice.init), style: .radio)
        }
    }
}

extension ControlKind.Choice {
    fileprivate init(_ choice: SettingsBundle.Choice) { self.init(title: choice.title, value: choice.value) }
}

extension ControlKind.TextInput {
    /// As the schema of Apple's settings applications has it, in the words of HTML.
    fileprivate init(_ field: SettingsBundle.TextField) {
        self.init(keepsScalarTypes: false)
        switch field.keyboard {
        case .alphabet: break
        case .numbersAndPunctuation: keyboard = "text"
        case .numberPad: keyboard = "numeric"
        case .url: keyboard = "url"
        case .emailAddress: keyboard = "email"
        }
        capitalization =
            switch field.autocapitalization {
            case .none: "none"
            case .sentences: "sentences"
            case .words: "words"
            case .allCharacters: "characters"
            }
        isCorrected =
            switch field.autocorrection {
            case .byDefault: nil
            case .no: false
            case .yes: true
            }
    }
}
