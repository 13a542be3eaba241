package import Settle

/// The settings that a program has declared.
package struct DeclaredSettings: Sendable {
    /// The settings, sorted by key.
    package let all: [DeclaredSetting]
    private let places: [SettingKey: Int]
    /// The settings that other spellings of their keys mean.
    private let otherSpellings: [SettingKey: Int]
    /// The keys around settings.
    private let groups: Set<SettingKey>
    /// The keys of secrets, in every spelling.
    package let secretKeys: Set<SettingKey>
    /// The declarations of groups that have one.
    let declaredGroups: [SettingKey: DeclaredGroup]

    package init(_ settings: [DeclaredSetting], groups declaredGroups: [SettingKey: DeclaredGroup] = [:]) {
        self.declaredGroups = declaredGroups
        all = settings.sorted { $0.key < $1.key }
        let places = Dictionary(all.enumerated().map { ($1.key, $0) }) { first, _ in first }
        let groups = Set(all.flatMap(\.key.parents))
        var (spellings, secretKeys) = ([SettingKey: Int](), Set<SettingKey>())
        for (index, setting) in all.enumerated() {
            let others = setting.key.literals.filter { places[$0] == nil && !groups.contains($0) }
            if setting.isSecret { secretKeys.formUnion(others + [setting.key]) }
            // A key may mean several settings: what is its owner's takes precedence, as in the program.
            for key in others where spellings[key] == nil || setting.isOwners { spellings[key] = index }
        }
        (self.places, self.groups, otherSpellings, self.secretKeys) = (places, groups, spellings, secretKeys)
    }

    package init(_ schema: SettingsSchema) {
        self.init(
            schema.settings.compactMap { entry in
                guard case .dictionary(var keywords) = entry.jsonSchema, let key = SettingKey(entry.key) else {
                    return nil
                }
                keywords["propertyOrder"] = .integer(Int64(entry.order))
                return DeclaredSetting(key: key, schema: keywords)
            },
            groups: Dictionary(
                schema.groups.compactMap { group in
                    SettingKey(group.key).map { ($0, DeclaredGroup(group.presentation)) }
                }, uniquingKeysWith: { first, _ in first }))
    }

    /// Reads the settings of a JSON Schema, nested as the file nests the keys.
    package init(jsonSchema: SettingValue) {
        var found: [DeclaredSetting] = []
        var groups: [SettingKey: DeclaredGroup] = [:]
        func add(_ schema: SettingValue, at key: SettingKey?) {
            let keywords: SettingValue.Entries
            switch schema {
            case .dictionary(let entries): keywords = entries
            case .bool(true): keywords = SettingValue.Entries()
            default: return
            }
            // Every declared setting has its type; the objects around them don't. Of a schema by hand, what has no
            // properties is a setting.
            if let key, keywords["x-type"] != nil || keywords["properties"] == nil {
                found.append(DeclaredSetting(key: key, schema: keywords))
            } else if case .dictionary(let inner)? = keywords["properties"] {
                if let key { groups[key] = DeclaredGroup(keywords) }
                for (name, schema) in inner where !name.isEmpty {
                    add(schema, at: key?.appending(component: name) ?? SettingKey.path(name))
                }
            }
        }
        add(jsonSchema, at: nil)
        self.init(found, groups: groups)
    }

    /// Creates settings with the types of the values: all that is known of a program that declares nothing.
    package init(describing tree: SettingTree) {
        var found: [DeclaredSetting] = []
        func add(_ value: SettingValue, at key: SettingKey) {
            if case .dictionary(let entries) = value, !entries.isEmpty, key.components.count < 8 {
                for (name, value) in entries.sortedByKey() where !name.isEmpty {
                    add(value, at: key.appending(component: name))
                }
            } else {
                found.append(DeclaredSetting(key: key, schema: value.likelySchema))
            }
        }
        for (name, value) in tree.root.sortedByKey() where !name.isEmpty { add(value, at: .path(name)) }
        self.init(found)
    }

    package var isEmpty: Bool { all.isEmpty }

    package subscript(key: SettingKey) -> DeclaredSetting? { places[key].map { all[$0] } }

    /// Returns the setting that a key means, in any spelling.
    package func setting(at key: SettingKey) -> DeclaredSetting? {
        (places[key] ?? otherSpellings[key]).map { all[$0] }
    }

    /// Returns the settings at a key, around it and within it.
    package func related(to key: SettingKey) -> [DeclaredSetting] {
        (key.parents + [key]).compactMap { setting(at: $0) } + within(key)
    }

    /// Returns the settings within a key.
    private func within(_ key: SettingKey) -> ArraySlice<DeclaredSetting> {
        guard groups.contains(key) else { return [] }
        // In the order of the bytes, other keys may stand between a key and those within it.
        let start = "\(key)."
        var (first, end) = (0, all.count)
        while first < end {
            let middle = (first + end) / 2
            if all[middle].key.description.precedesByBytes(start) { first = middle + 1 } else { end = middle }
        }
        return all[first...].prefix { $0.key.isWithin(key) }
    }

    /// Returns whether a value at a key is a secret, or a part of one.
    package func isSecret(_ key: SettingKey) -> Bool {
        !secretKeys.isEmpty && (secretKeys.contains(key) || key.parents.contains(where: secretKeys.contains))
    }

    /// Returns the setting whose value is at a key, or has it as a part.
    package func setting(around key: SettingKey) -> DeclaredSetting? { declaration(around: key)?.setting }

    /// Returns whether a key is that of a group: settings are declared within it.
    package func isGroup(_ key: SettingKey) -> Bool { self[key] == nil && groups.contains(key) }

    /// Returns a value with a mark in place of the secrets in it, or of the whole, if it is a part of a secret.
    package func hidingSecrets(in value: SettingValue, at key: SettingKey) -> SettingValue {
        guard !isSecret(key) else { return .string(redaction) }
        var tree = SettingTree()
        tree[key] = value
        let keys = within(key).filter(\.isSecret).flatMap { [$0.key] + $0.key.literals }
        return hiding(keys.filter(secretKeys.contains), in: tree)[key] ?? value
    }

    /// Returns the values with a mark in place of secrets.
    package func hidingSecrets(in tree: SettingTree) -> SettingTree { hiding(secretKeys, in: tree) }

    private func hiding(_ keys: some Sequence<SettingKey>, in tree: SettingTree) -> SettingTree {
        var tree = tree
        for key in keys where tree[key] != nil { tree[key] = .string(redaction) }
        return tree
    }
}

extension SettingValue {
    /// The schema of values of the same type.
    fileprivate var likelySchema: SettingValue.Entries {
        switch self {
        case .null, .dictionary: [:]
        case .bool: ["type": .string("boolean")]
        case .integer: ["type": .string("integer")]
        case .real, .number: ["type": .string("number")]
        case .string: ["type": .string("string")]
        case .date: ["type": .string("string"), "format": .string("date-time")]
        case .data: ["type": .string("string"), "contentEncoding": .string("base64")]
        case .array(let elements):
            elements.allSatisfy(\.isString)
                ? ["type": .string("array"), "items": .dictionary(["type": .string("string")])]
                : ["type": .string("array")]
        }
    }

    private var isString: Bool { if case .string = self { true } else { false } }
}
