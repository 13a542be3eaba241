import Settle

/// A client whose request is admitted.
struct APIClient: Sendable, Hashable {
    /// The author of its changes.
    let name: String
    let canWrite: Bool
    /// The keys of the settings and groups within its reach; `nil` for all.
    private let keys: [SettingKey]?

    /// A client that may do everything.
    init(name: String) {
        (self.name, canWrite, keys) = (name, true, nil)
    }

    init(name: String, token: APIToken) {
        (self.name, canWrite) = (name, token.access == .write)
        keys = token.keys?.compactMap { SettingKey($0) }
    }

    /// Whether all keys are within its reach.
    var reachesEverything: Bool { keys == nil }

    /// Whether a setting is within its reach.
    func reaches(_ key: String) -> Bool {
        guard let keys else { return true }
        let key = SettingKey(stored: key)
        return keys.contains { $0 == key || $0.contains(key) }
    }

    /// Whether a key is within its reach, and so is the key that the key's setting declares: without its backslash, the
    /// key of a name with dots looks like one within a group.
    func reaches(_ key: String, in store: SettingsStore) -> Bool {
        reachesEverything || (reaches(key) && reaches(store.keys.declaredKey(forKey: key) ?? key))
    }
}
