import Settle
import SettleInterchange

extension PanelContents {
    /// Creates a pane for each group of settings, or a section of the pane around it, in the order of declaration.
    init(_ declared: DeclaredSettings, title: String, strings: PanelStrings) {
        let title = strings.declared(title)
        var panes = DeclaredPanes(declared, strings)
        panes.addPane(declared.inOrder[...], of: [], title: title, parent: nil)
        self.init(title: title, panes: panes.all)
        language = strings.languageOfTexts
    }
}

/// Makes the panes of declared settings, each before those within it.
private struct DeclaredPanes {
    private(set) var all: [PanelContents.Pane] = []
    private let declared: DeclaredSettings
    private let strings: PanelStrings
    private let isOrdered: Bool

    init(_ declared: DeclaredSettings, _ strings: PanelStrings) {
        (self.declared, self.strings) = (declared, strings)
        isOrdered = declared.isOrdered
    }

    /// - Parameters:
    ///   - settings: All settings within the group, in the order of declaration.
    ///   - names: The names of the group and of those around it.
    mutating func addPane(_ settings: ArraySlice<DeclaredSetting>, of names: [String], title: String, parent: String?) {
        let id = SettingKey(components: names)?.description ?? ""
        let index = all.count
        all.append(PanelContents.Pane(id: id, title: title, parent: parent, sections: []))
        var sections = [PanelContents.Section()]
        add(settings, at: names, to: &sections, pane: id)
        all[index] = PanelContents.Pane(
            id: id, title: title, parent: parent, sections: sections.filter { !$0.isEmpty })
    }

    /// Adds the rows of a group to the sections of a pane, which has at least one.
    private mutating func add(
        _ settings: ArraySlice<DeclaredSetting>, at names: [String], to sections: inout [PanelContents.Section],
        pane: String
    ) {
        // Without an order, the groups come after the settings.
        let isDirect = { (setting: DeclaredSetting) in setting.key.depth == names.count + 1 }
        var rest = isOrdered ? settings : (settings.filter(isDirect) + settings.filter { !isDirect($0) })[...]
        var isSplit = false
        while let first = rest.first {
            let components = first.key.components
            if isSplit {
                sections.append(PanelContents.Section())
                isSplit = false
            }
            guard components.count > names.count + 1 else {
                let control = Control(first, strings, surroundings: sections[sections.count - 1].texts)
                sections[sections.count - 1].rows.append(.control(control))
                rest = rest.dropFirst()
                continue
            }
            let path = Array(components.prefix(names.count + 1))
            let inner = rest.prefix { $0.isWithin(path) }
            rest = rest.dropFirst(inner.count)
            if !isOrdered, case .control? = sections.last?.rows.last { sections.append(PanelContents.Section()) }
            let (title, footer, isSection) = heading(of: path)
            if isSection {
                sections.append(PanelContents.Section(title: title, footer: footer))
                add(inner, at: path, to: &sections, pane: pane)
                // The settings after it are not its own.
                isSplit = true
            } else {
                let id = SettingKey(components: path)?.description ?? ""
                let name = title ?? path.last ?? ""
                sections[sections.count - 1].rows.append(.pane(id: id, title: name))
                addPane(inner, of: path, title: name, parent: pane)
            }
        }
    }

    /// Returns the heading of a group's section, or the title of its pane.
    private func heading(of names: [String]) -> (title: String?, footer: String?, isSection: Bool) {
        let name = names.last?.asTitle
        guard let group = SettingKey(components: names).flatMap(declared.group) else { return (name, nil, false) }
        let title = group.title.map(strings.declared) ?? name
        guard group.isSection else { return (title?.visible ?? name, nil, false) }
        return (title?.visible, group.footer.map(strings.declared)?.visible, true)
    }
}

extension PanelContents.Section {
    fileprivate var isEmpty: Bool { rows.isEmpty && texts.isEmpty }

    /// The title and the footer.
    fileprivate var texts: [String] { [title, footer].compactMap(\.self) }
}

extension DeclaredSetting {
    /// Returns whether the names of its key begin with those of a group.
    fileprivate func isWithin(_ names: [String]) -> Bool {
        let components = key.components
        return components.count > names.count && zip(components, names).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}

extension Control {
    fileprivate init(_ setting: DeclaredSetting, _ strings: PanelStrings, surroundings: [String]) {
        let check = setting.check
        let kind: ControlKind = setting.isSecret ? .secret : ControlKind(check, strings)
        self.init(
            key: setting.key,
            title: setting.title?.visible.map(strings.declared) ?? setting.key.components.last?.asTitle ?? "",
            help: setting.help.map(strings.declaredHelp),
            rules: RuleWording(strings, check).texts(of: setting),
            unit: setting.unit.map(strings.declared), kind: kind, isOptional: check.types.contains("null"),
            isOwners: setting.isOwners, surroundings: surroundings, defaultValue: setting.defaultValue,
            problem: { ValueProblem(of: $0, check) })
    }
}

extension PanelStrings {
    /// Returns a help text in the user's language. A schema may have given it a full stop that its declaration lacks.
    fileprivate func declaredHelp(_ help: String) -> String {
        let text = declared(help)
        guard text == help, help.hasSuffix(".") else { return text }
        let bare = String(help.dropLast())
        let translated = declared(bare)
        if translated == bare { return help }
        return translated.last?.isLetter == true ? translated + "." : translated
    }
}

extension ControlKind {
    /// The maximum number of choices shown as radio buttons. More are in a menu.
    private static let radioLimit = 4

    /// Creates the kind of a setting, or of the elements of one.
    fileprivate init(_ check: SchemaCheck, _ strings: PanelStrings) {
        let choices = check.titledChoices?.map { value, title in
            SettingsBundle.Choice(title: title.map(strings.declared) ?? DefaultsText.text(of: value), value: value)
        }
        if let choices, !choices.isEmpty {
            self = .choice(choices, style: choices.count <= Self.radioLimit ? .radio : .select)
            return
        }
        switch check.form {
        case "date-time"?: self = .date
        case "base64"?: self = .data
        case "uri-reference"?: self = .text(TextInput(isCode: true, keyboard: "url"))
        case "uuid"?: self = .text(TextInput(isCode: true))
        case "Duration"?, "Duration?"?: self = .duration
        default: self = Self.kind(of: check.types.subtracting(["null"]), check, strings)
        }
    }

    private static func kind(of types: Set<String>, _ check: SchemaCheck, _ strings: PanelStrings) -> ControlKind {
        let element = check.element.map { ControlKind($0, strings) }
        let limits = [check.limit("minimum"), check.limit("maximum")]
        if types == ["boolean"] {
            guard check.types.contains("null") else { return .toggle(SettingsBundle.Toggle()) }
            return .choice(
                [.init(title: strings("On"), value: .bool(true)), .init(title: strings("Off"), value: .bool(false))],
                style: .radio)
        }
        if types == ["integer"] {
            return .number(NumberInput(isInteger: true, minimum: limits[0], maximum: limits[1]))
        }
        if types.contains("number") {
            let isBounded = limits.allSatisfy { $0 != nil }
            return .number(
                NumberInput(isInteger: false, minimum: limits[0], maximum: limits[1], isSlider: isBounded))
        }
        if types == ["string"] { return .text(TextInput()) }
        if types == ["array"], let element, element.isScalar { return .list(element) }
        if types == ["object"], let element, element.isScalar { return .dictionary(element) }
        return .json
    }
}
