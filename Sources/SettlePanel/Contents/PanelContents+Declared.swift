import Settle
import SettleInterchange

extension PanelContents {
    /// Creates a pane for each group of settings, in the order of their keys.
    init(_ declared: DeclaredSettings, title: String, strings: PanelStrings) {
        var panes: [Pane] = []
        func add(_ settings: [DeclaredSetting], _ names: [String], parent: String?) {
            let depth = names.count
            var own = Section()
            var inner = Section()
            var groups: [(name: String, settings: [DeclaredSetting])] = []
            for setting in settings {
                let components = setting.key.components
                guard components.count > depth + 1 else {
                    own.rows.append(.control(Control(setting, strings)))
                    continue
                }
                if let index = groups.firstIndex(where: { $0.name.hasSameBytes(as: components[depth]) }) {
                    groups[index].settings.append(setting)
                } else {
                    groups.append((components[depth], [setting]))
                }
            }
            let id = SettingKey(components: names)?.description ?? ""
            let index = panes.count
            panes.append(Pane(id: id, title: "", parent: parent, sections: []))
            for group in groups {
                let names = names + [group.name]
                let key = SettingKey(components: names)?.description ?? ""
                inner.rows.append(.pane(id: key, title: group.name.asTitle))
                add(group.settings, names, parent: id)
            }
            panes[index] = Pane(
                id: id, title: names.last?.asTitle ?? title, parent: parent,
                sections: [own, inner].filter { !$0.rows.isEmpty })
        }
        add(declared.all, [], parent: nil)
        self.init(title: title, panes: panes)
    }
}

extension Control {
    fileprivate init(_ setting: DeclaredSetting, _ strings: PanelStrings) {
        let check = setting.check
        self.init(
            key: setting.key, title: setting.title?.visible ?? setting.key.components.last?.asTitle ?? "",
            help: setting.help,
            rule: setting.demand, unit: setting.unit, kind: setting.isSecret ? .secret : ControlKind(check, strings),
            isOptional: check.types.contains("null"), isOwners: setting.isOwners, defaultValue: setting.defaultValue,
            refusal: { setting.refusal(of: $0) })
    }
}

extension DeclaredSetting {
    /// The beginning of the sentences in which a store's schema states the requirements of a value.
    private static let demand = "It must be "

    /// The program's help text; `nil` if it is empty.
    fileprivate var help: String? {
        guard let words, let start = words.ranges(of: Self.demand).last?.lowerBound else { return words }
        let help = words[..<start].drop(while: \.isWhitespace)
        return help.isEmpty ? nil : String(help.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// The library's description of the allowed values.
    fileprivate var demand: String? {
        words.flatMap { words in words.ranges(of: Self.demand).last.map { String(words[$0.lowerBound...]) } }
    }
}

extension ControlKind {
    /// The maximum number of choices shown as radio buttons. More are in a menu.
    private static let radioLimit = 4

    fileprivate init(_ check: SchemaCheck, _ strings: PanelStrings) {
        let types = check.types.subtracting(["null"])
        if let cases = check.cases?.filter({ $0 != .null }), !cases.isEmpty {
            let choices = cases.map { SettingsBundle.Choice(title: DefaultsText.text(of: $0), value: $0) }
            self = .choice(choices, style: choices.count <= Self.radioLimit ? .radio : .select)
            return
        }
        switch check.form {
        case "date-time"?: self = .date
        case "base64"?: self = .data
        case "uri-reference"?: self = .text(TextInput(isCode: true, keyboard: "url"))
        case "uuid"?: self = .text(TextInput(isCode: true))
        case "Duration"?, "Duration?"?: self = .duration
        default: self = Self.kind(of: types, check, strings)
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
