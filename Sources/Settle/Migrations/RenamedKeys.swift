/// Where the steps of a list have put what stood at keys.
///
/// Domains that no migration changes still have values under the old names.
struct RenamedKeys: Sendable {
    private let renamings: [(from: SettingKey, to: SettingKey)]

    init(_ list: [SettingsMigration]) {
        renamings = list.compactMap(\.renamed)
    }

    /// The name by now of what had a key at first; `nil` if no step has given it another.
    func newName(of key: SettingKey) -> SettingKey? {
        var name = key
        for (from, to) in renamings {
            if name == from {
                name = to
            } else if let rest = from.rest(of: name) {
                name = rest.components.reduce(to) { $0.appending(component: $1) }
            }
        }
        return name == key ? nil : name
    }
}

extension [SettingsMigration] {
    /// The name by now of what had a key at first; `nil` if no step has given it another.
    func newName(of key: SettingKey) -> SettingKey? { RenamedKeys(self).newName(of: key) }
}
