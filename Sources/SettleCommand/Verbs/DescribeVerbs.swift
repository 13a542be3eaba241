import Settle
import SettleInterchange

/// Verbs that show what is declared of a setting.
enum DescribeVerbs {
    static let describe = Verb(
        name: "describe", aliases: ["info"], scope: .domain, operands: [.key], options: [.literal],
        summary: "Shows a setting's title, help and rule, type, unit and default.",
        details: "They come from the schema that the program wrote. Without one, the type is that of the stored value.",
        action: { invocation in
            let (setting, isDeclared) = try await invocation.describedSetting()
            var record: SettingValue.Entries = ["key": .string(setting.key.description)]
            let texts = [
                ("title", setting.title), ("help", setting.words), ("type", setting.type ?? setting.typeText),
                ("unit", setting.unit),
            ]
            for (name, text) in texts { record[name] = text.map { .string($0) } }
            record["default"] = setting.isSecret ? nil : setting.defaultValue
            let flags = [
                ("isSecret", setting.isSecret), ("isOwners", setting.isOwners), ("isDeclared", isDeclared),
            ]
            for (name, isOn) in flags { record[name] = .bool(isOn) }
            guard invocation.format == nil else { return try invocation.show(.dictionary(record)) }
            try invocation.terminal.say("\(setting.key)", .strong)
            var table = TextTable()
            for (name, text) in texts {
                if let text { table.add(.init(text: "  \(name)"), .init(text: text)) }
            }
            if let value = record["default"] { table.add(.init(text: "  default"), .init(text: value.line)) }
            if setting.isSecret { table.add(.init(text: "  access"), .init(text: "A secret.")) }
            if setting.isOwners { table.add(.init(text: "  access"), .init(text: "Only its owner may change it.")) }
            if !isDeclared { table.add(.init(text: "  declared"), .init(text: "No.")) }
            try table.write(to: invocation.terminal)
        })

    static let range = Verb(
        name: "range", scope: .domain, operands: [.key], options: [.literal],
        summary: "Shows the values that a setting can have: its type, and its limits or a list.",
        details: """
            A line has a keyword of JSON Schema and its value, such as “minimum 0”; each value of a list is a line “enum”. \
            Rules that have no keyword are in “describe”.
            """,
        action: { invocation in
            let (setting, _) = try await invocation.describedSetting()
            let limits = setting.limits
            guard invocation.format == nil else { return try invocation.show(.dictionary(limits)) }
            for (keyword, value) in limits.sortedByKey() {
                let values: [SettingValue] = if case .array(let values) = value { values } else { [value] }
                for value in values { try invocation.terminal.say("\(keyword) \(value.recordText)") }
            }
        })
}

extension Invocation {
    /// Returns the declaration of the setting at the key, or one with the type of the stored value.
    fileprivate func describedSetting() async throws -> (setting: DeclaredSetting, isDeclared: Bool) {
        let (target, declared) = try settings()
        let (text, values) = (operands.first ?? "", try await target.values(isSought: true))
        let key = try key(text, declared, values)
        if let setting = declared.setting(at: key) { return (setting, true) }
        guard values[key] != nil, let setting = DeclaredSettings(describing: values)[key] else {
            throw target.missing(text)
        }
        return (setting, false)
    }
}

extension DeclaredSetting {
    /// The types in JSON, for a setting without a type in Swift.
    fileprivate var typeText: String? {
        let types = check.types.sorted()
        return types.isEmpty ? nil : types.joined(separator: " or ")
    }
}
