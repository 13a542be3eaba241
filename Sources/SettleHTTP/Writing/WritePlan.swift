import Settle

/// The changes that a request makes.
struct WritePlan: Sendable {
    /// A change of one setting.
    enum Write: Sendable, Hashable {
        case set(SettingValue)
        /// A merge patch of a value that is an object.
        case merge(SettingValue)
        case remove

        /// Returns the value after the change; `nil` for none.
        func applied(to value: SettingValue?) -> SettingValue? {
            switch self {
            case .set(let value): value
            case .merge(let patch): MergePatch.applied(patch, to: value)
            case .remove: nil
            }
        }
    }

    /// Sorted by key.
    let writes: [(key: String, write: Write)]
    /// The keys that the request is about; `nil` for all.
    let base: [String]?
    /// The groups that the request resets; `nil` for all settings.
    private let resetGroups: [SettingKey?]

    var keys: [String] { writes.map(\.key) }

    /// The changes in an object with a value for each full key.
    init(values: SettingValue, in store: SettingsStore) throws(Problem) {
        guard case .dictionary(let members) = values else {
            throw Problem(.invalidBody, "The body must be a JSON object with a value for each key.")
        }
        var writes: [String: Write] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            // As listings spell it: the file may store it under a name with dots.
            guard let key = store.keys.setting(forKey: name)?.key else { throw Problem.unknownSetting(name) }
            guard writes.updateValue(.set(value), forKey: key) == nil else {
                throw Problem(.invalidBody, "The body has two values for “\(key)”, in different spellings.")
            }
        }
        let sorted = writes.sorted { $0.key < $1.key }.map { (key: $0.key, write: $0.value) }
        (self.writes, base, resetGroups) = (sorted, nil, [])
    }

    /// The changes of a merge patch, of which null resets a setting, or a group, to its default.
    ///
    /// - Parameter key: The setting or the group that it is a patch of; `nil` for all of them.
    init(patch: SettingValue, of key: String?, in settings: [SettingInfo]) throws(Problem) {
        let declared = settings.map { SettingKey(stored: $0.key) }
        var writes: [(key: String, write: Write)] = []
        var groups: [SettingKey?] = []
        try Self.collect(patch, at: key.map { SettingKey(stored: $0) }, Set(declared), into: &writes, &groups)
        (self.writes, base, resetGroups) = (writes.sorted { $0.key < $1.key }, key.map { [$0] }, groups)
    }

    /// The change of one setting.
    init(_ write: Write, of key: String) {
        (writes, base, resetGroups) = ([(key: key, write: write)], [key], [])
    }

    /// Returns the key by which the request names a setting: its own or that of a group; `nil` if it names none.
    func name(of key: String) -> String? {
        let setting = SettingKey(stored: key)
        guard let group = resetGroups.first(where: { $0?.contains(setting) ?? true }) else { return key }
        return group?.description
    }

    private static func collect(
        _ patch: SettingValue, at path: SettingKey?, _ declared: Set<SettingKey>,
        into writes: inout [(key: String, write: Write)], _ groups: inout [SettingKey?]
    ) throws(Problem) {
        if let path, declared.contains(path) {
            writes.append((path.description, write(of: patch)))
            return
        }
        let inner = declared.filter { path?.contains($0) ?? true }
        guard !inner.isEmpty else { throw Problem.unknownSetting(path?.description ?? "") }
        switch patch {
        case .null:
            writes += inner.map { (key: $0.description, write: Write.remove) }
            groups.append(path)
        case .dictionary(let members):
            for (name, value) in members {
                guard !name.isEmpty, let inner = path?.appending(component: name) ?? SettingKey(components: [name])
                else { throw Problem.unknownSetting(name) }
                try collect(value, at: inner, declared, into: &writes, &groups)
            }
        default:
            throw Problem(
                .invalidBody,
                "A merge patch of \(path.map { "“\($0)”" } ?? "the settings") is an object, or null to reset them.")
        }
    }

    /// The key of a secret that the request merges a patch into; `nil` if there is none.
    func mergedSecret(in store: SettingsStore) -> String? {
        writes.first { key, write in
            guard case .merge = write else { return false }
            return store.keys.setting(forKey: key)?.isSecret == true
        }?.key
    }

    private static func write(of patch: SettingValue) -> Write {
        switch patch {
        case .null: .remove
        case .dictionary: .merge(patch)
        default: .set(patch)
        }
    }

    /// Makes the changes, inside a transaction.
    func apply(to store: SettingsStore) throws {
        for (key, write) in writes { try Self.apply(write, of: key, to: store) }
    }

    static func apply(_ write: Write, of key: String, to store: SettingsStore) throws {
        switch write {
        case .set(let value): try store.keys.setValue(value, forKey: key)
        case .merge(let patch):
            // Not into the value in force: that of a domain above the file must not get into it.
            let base = try store.keys.valueToModify(forKey: key)
            try store.keys.setValue(MergePatch.applied(patch, to: base), forKey: key)
        case .remove: try store.keys.removeValue(forKey: key)
        }
    }

    /// Returns whether the file has these values already, as after the same request.
    func isDone(in store: SettingsStore) throws -> Bool {
        try writes.allSatisfy { key, write in
            let own = try store.keys.ownValue(forKey: key)
            return store.keys.areSame(write.applied(to: own), own, forKey: key)
        }
    }
}

extension WritePlan {
    /// Returns the problem of each change that would be refused. Nothing is changed.
    func problems(in store: SettingsStore) throws -> [Problem] {
        try store.trying {
            var problems: [Problem] = []
            for (key, write) in writes {
                do {
                    try Self.apply(write, of: key, to: store)
                } catch let error as SettingsError {
                    problems.append(Problem(error))
                }
            }
            return problems
        }
    }
}
