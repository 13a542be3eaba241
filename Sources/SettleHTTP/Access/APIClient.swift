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

    /// Whether a key is within its reach.
    ///
    /// For a setting, the key that its group declares decides, whichever spelling the file or a request has: the file
    /// may store a setting of a group under a name with dots, and without its backslash, the key of a declared name
    /// with dots looks like one within a group.
    func reaches(_ key: String, in store: SettingsStore) -> Bool {
        guard let keys else { return true }
        let key = SettingKey(stored: store.keys.declaredKey(forKey: key) ?? key)
        return keys.contains { $0 == key || $0.contains(key) }
    }
}
