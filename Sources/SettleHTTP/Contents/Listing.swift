import Settle

/// Settings as of one moment.
struct Listing: Sendable {
    /// A token of the history that the values are not older than; `nil` if there is none yet.
    let token: ChangeToken?
    let entries: [SettingEntry]

    /// The settings within a client's reach.
    init(of store: SettingsStore, for client: APIClient) throws {
        try self.init(of: store) { client.reachable(store.settings, by: \.key, in: store) }
    }

    /// One setting, if there is one with the key.
    init(of store: SettingsStore, key: String) throws {
        try self.init(of: store) { store.keys.setting(forKey: key).map { [$0] } ?? [] }
    }

    private init(of store: SettingsStore, _ read: () -> [SettingInfo]) throws {
        // Before the values: a change in between is among them, and at worst a change of it is refused for no reason.
        token = store.history.token
        var (settings, file) = (read(), SettingTree())
        if settings.contains(where: \.isCovered) {
            // Nothing else is published while an update runs. One that writes nothing leaves no trace.
            (settings, file) = try store.update { (read(), store.domains[.application].values) }
        }
        let tree = file
        entries = settings.map { info in
            SettingEntry(
                info: info, stored: info.isCovered ? tree[info.key] : nil, cover: Self.cover(of: info, in: store))
        }
    }

    private init(_ token: ChangeToken?, _ entries: [SettingEntry]) {
        (self.token, self.entries) = (token, entries)
    }

    /// Returns the listing of some of these settings.
    func restricted(to keys: Set<String>) -> Listing {
        Listing(token, entries.filter { keys.contains($0.info.key) })
    }

    /// The entries of which another value is in force than the file's, without the file's.
    var covered: [SettingValue] {
        entries.filter(\.differsFromFile).map { entry in
            var json = entry.json
            json["stored"] = nil
            return .dictionary(json)
        }
    }

    var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["settings": .array(entries.map { .dictionary($0.json) })]
        if let token { json["token"] = .string(token.description) }
        return json
    }

    /// The entry of the only setting; `nil` if there is none.
    var entry: SettingValue.Entries? {
        guard var json = entries.first?.json else { return nil }
        if let token { json["token"] = .string(token.description) }
        return json
    }

    /// Whether the entry of the only setting, which has this key, stays the same until the store's contents change. That
    /// of another may name the line of a file, and a stored value that can't be used may become usable.
    func isLasting(as key: String) -> Bool {
        guard let info = entries.first?.info else { return false }
        return info.key.hasSameBytes(as: key) && !info.isCovered && info.lock == nil && info.problem == nil
    }

    static let schema = Schema.object(
        ["settings": .array(of: .component("Setting"))],
        optional: [
            "token": .component("Token"), "file": .component("File"),
            "unknownVariables": .array(of: UnknownVariable.schema),
        ])

    /// The source of the value that covers the file's.
    private static func cover(of info: SettingInfo, in store: SettingsStore) -> String? {
        info.isCovered ? store.keys.placeInForce(forKey: info.key) : nil
    }
}
