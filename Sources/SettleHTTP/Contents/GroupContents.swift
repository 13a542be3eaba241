import Settle

/// The settings of a group as an object.
struct GroupContents: Sendable {
    /// The values, without those of secrets.
    let members: SettingValue.Entries

    /// - Returns: `nil` if no setting lies within the key.
    init?(_ key: String, in settings: [SettingInfo]) {
        let path = SettingKey(stored: key)
        // As declared: the file may store a setting of the group under a name with dots.
        let inner = settings.filter { path.contains(SettingKey(stored: $0.declaredKey)) }
        guard !inner.isEmpty else { return nil }
        var tree = SettingTree()
        for info in inner where !info.isSecret { tree[info.declaredKey] = info.value ?? .null }
        if case .dictionary(let members)? = tree[path] { self.members = members } else { members = [:] }
    }
}
