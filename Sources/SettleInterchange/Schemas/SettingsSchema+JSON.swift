public import Settle

/// JSON Schema, in the version 2020-12.
extension SettingsSchema {
    /// A JSON Schema of a settings file: objects nested as a file nests the declared keys.
    ///
    /// Every file that the store saves is valid, so the schema demands less than the rules where JSON Schema can't
    /// express them; ``Entry/jsonSchema`` describes how. Keys that no group declares are allowed, and no key is
    /// required. `propertyOrder` is the order of declaration, which editors of JSON Schema know. The object of a group
    /// has the title of its `GroupPresentation` as `title`, the footer as `description`, and the style as
    /// `x-presentation`.
    public var jsonSchema: SettingValue {
        var tree = SettingTree(["$schema": .string("https://json-schema.org/draft/2020-12/schema")])
        tree["type"] = .string("object")
        let forPeople = Set(settings.filter { $0.category != .state }.flatMap { SettingKey(stored: $0.key).parents })
        var orders: [SettingKey: Int] = [:]
        for entry in settings {
            let key = SettingKey(stored: entry.key)
            for parent in key.parents { orders[parent] = min(orders[parent] ?? .max, entry.order) }
            tree[place(of: key)] = entry.jsonSchema
            tree[place(of: key, "propertyOrder")] = .integer(Int64(entry.order))
        }
        for (parent, order) in orders {
            tree[place(of: parent, "type")] = .string("object")
            tree[place(of: parent, "propertyOrder")] = .integer(Int64(order))
            if !forPeople.contains(parent) { tree[place(of: parent, "doNotSuggest")] = .bool(true) }
        }
        for group in groups {
            let key = SettingKey(stored: group.key)
            guard orders[key] != nil else { continue }
            for (name, value) in group.presentation.keywords { tree[place(of: key, name)] = value }
        }
        return .dictionary(tree.root)
    }

    /// Returns the location in the schema that describes a key.
    private func place(of key: SettingKey, _ keyword: String...) -> SettingKey {
        SettingKey(components: key.components.flatMap { ["properties", $0] } + keyword) ?? key
    }
}

extension GroupPresentation {
    /// The keywords that describe the group.
    fileprivate var keywords: [String: SettingValue] {
        var keywords = ["x-presentation": SettingValue.string(style.rawValue)]
        keywords["title"] = title.map(SettingValue.string)
        keywords["description"] = footer.map(SettingValue.string)
        return keywords
    }
}

extension SettingsSchema.Entry {
    /// A JSON Schema of the setting's values.
    ///
    /// Rules become `minimum`, `maximum`, `enum`, `pattern` and similar keywords where these mean the same;
    /// `description` has the texts of all rules after the help text. A limit on a string's characters becomes none,
    /// because JSON Schema counts code points. A pattern is left out if other programs may read it differently. A
    /// secret is `writeOnly`, an owner-only setting `readOnly`. State, which is not in the file that users edit, is
    /// `doNotSuggest`, so that Visual Studio Code and similar editors do not complete it there. `x-type` is the type in
    /// Swift, and `x-unit` the unit. The titles of choices are `enumDescriptions`, which such editors show beside the
    /// choices. `x-rules` has the rules that no keyword expresses completely, in the form of `RuleDescription`.
    public var jsonSchema: SettingValue {
        var schema = shape.jsonSchema
        for rule in rules { schema.add(rule.keywords(for: shape)) }
        let others = rules.filter { !$0.isExpressed(for: shape) }.map(\.json)
        if !others.isEmpty { schema["x-rules"] = .array(others) }
        for (name, text) in [("title", title), ("description", words), ("x-unit", unit), ("x-type", type)] {
            if let text { schema[name] = .string(text) }
        }
        if let defaultValue { schema["default"] = defaultValue }
        if isSecret { schema["writeOnly"] = .bool(true) }
        if access == .owner { schema["readOnly"] = .bool(true) }
        if category == .state { schema["doNotSuggest"] = .bool(true) }
        return .dictionary(schema)
    }

    private var words: String? {
        let texts = rules.map(\.description).joined(separator: ", and ")
        let demand = rules.isEmpty ? [] : ["\(SettingsSchema.demandStart)\(texts)."]
        let sentences = (help.map { [demand.isEmpty || !($0.last?.isLetter ?? false) ? $0 : $0 + "."] } ?? []) + demand
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }
}

extension SettingValue.Entries {
    /// Adds keywords; existing ones that differ apply as well.
    fileprivate mutating func add(_ keywords: SettingValue.Entries) {
        let isOther = keywords.contains { name, argument in self[name].map { $0 != argument } ?? false }
        guard isOther else {
            self = merging(keywords) { old, _ in old }
            return
        }
        guard case .array(let others)? = self["allOf"] else { return self["allOf"] = .array([.dictionary(keywords)]) }
        self["allOf"] = .array(others + [.dictionary(keywords)])
    }
}
