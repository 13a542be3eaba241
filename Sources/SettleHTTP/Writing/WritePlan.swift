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
        var writes: [SettingKey: Write] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            // As listings spell it: the file may store it under a name with dots.
            guard let key = store.keys.setting(forKey: name)?.key else { throw Problem.unknownSetting(name) }
            try Self.add(.set(value), of: SettingKey(stored: key), to: &writes)
        }
        self.init(writes, base: nil, resetGroups: [])
    }

    /// The changes of a merge patch, of which null resets a setting, or a group, to its default.
    ///
    /// - Parameter key: The setting or the group that it is a patch of; `nil` for all of them.
    init(patch: SettingValue, of key: String?, in settings: [SettingInfo]) throws(Problem) {
        // By the keys as declared and as stored: the file may store a setting of a group under a name with dots.
        var stored: [SettingKey: SettingKey] = [:]
        for info in settings {
            let key = SettingKey(stored: info.key)
            stored[key] = key
            stored[SettingKey(stored: info.declaredKey)] = key
        }
        var writes: [SettingKey: Write] = [:]
        var groups: [SettingKey?] = []
        try Self.collect(patch, at: key.map { SettingKey(stored: $0) }, stored, into: &writes, &groups)
        self.init(writes, base: key.map { [$0] }, resetGroups: groups)
    }

    private init(_ writes: [SettingKey: Write], base: [String]?, resetGroups: [SettingKey?]) {
        self.writes = writes.sorted { $0.key < $1.key }.map { (key: $0.key.description, write: $0.value) }
        (self.base, self.resetGroups) = (base, resetGroups)
    }

    /// The change of one setting.
    init(_ write: Write, of key: String) {
        (writes, base, resetGroups) = ([(key: key, write: write)], [key], [])
    }

    /// Returns the key by which the request names a setting: its own or that of a group; `nil` if it names none.
    func name(of key: String, in store: SettingsStore) -> String? {
        let setting = SettingKey(stored: store.keys.declaredKey(forKey: key) ?? key)
        guard let group = resetGroups.first(where: { $0?.contains(setting) ?? true }) else { return key }
        return group?.description
    }

    /// - Parameter stored: The keys of the settings as stored, by these and by the declared ones.
    private static func collect(
        _ patch: SettingValue, at path: SettingKey?, _ stored: [SettingKey: SettingKey],
        into writes: inout [SettingKey: Write], _ groups: inout [SettingKey?]
    ) throws(Problem) {
        if let path, let key = stored[path] { return try add(write(of: patch), of: key, to: &writes) }
        let inner = Set(stored.filter { path?.contains($0.key) ?? true }.values)
        guard !inner.isEmpty else { throw Problem.unknownSetting(path?.description ?? "") }
        switch patch {
        case .null:
            for key in inner { try add(.remove, of: key, to: &writes) }
            groups.append(path)
        case .dictionary(let members):
            for (name, value) in members {
                guard !name.isEmpty, let inner = path?.appending(component: name) ?? SettingKey(components: [name])
                else { throw Problem.unknownSetting(name) }
                try collect(value, at: inner, stored, into: &writes, &groups)
            }
        default:
            throw Problem(
                .invalidBody,
                "A merge patch of \(path.map { "“\($0)”" } ?? "the settings") is an object, or null to reset them.")
        }
    }

    private static func add(
        _ write: Write, of key: SettingKey, to writes: inout [SettingKey: Write]
    ) throws(Problem) {
        guard writes.updateValue(write, forKey: key) == nil else {
            throw Problem(.invalidBody, "The body has two values for “\(key)”, in different spellings.")
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
