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
        !reachable([key], by: { $0 }, in: store).isEmpty
    }

    /// Returns the elements whose keys are within its reach. The store's lock is taken once for all of them.
    func reachable<Element>(_ elements: [Element], by key: (Element) -> String, in store: SettingsStore) -> [Element] {
        guard let keys else { return elements }
        let given = elements.map { SettingKey(stored: key($0)) }
        let declared = zip(given, store.keys.declaredKeys(forKeys: given)).map { $1 ?? $0 }
        return zip(elements, declared)
            .filter { _, key in keys.contains { $0 == key || $0.contains(key) } }
            .map { element, _ in element }
    }
}
