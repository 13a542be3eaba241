/// The keys that the steps of a list have moved values to.
///
/// Domains that no migration changes still have values under the old names.
struct RenamedKeys: Sendable {
    private let renamings: [(from: SettingKey, to: SettingKey)]

    init(_ list: [SettingsMigration]) {
        renamings = list.compactMap(\.renamed)
    }

    /// Returns the current name of a key; `nil` if no step has renamed it.
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

    /// Returns the earlier names of a key, the last one first.
    func oldNames(of key: SettingKey) -> [SettingKey] {
        var names: [SettingKey] = []
        // The keys that may have become the key by the step in question.
        var sources = [key]
        for (from, to) in renamings.reversed() {
            // A value that had this name before the step has another one after it.
            sources.removeAll { $0 == from || from.rest(of: $0) != nil }
            let found = sources.compactMap { $0 == to ? from : to.rest(of: $0).map(from.appending) }
            sources += found
            names += found
        }
        return names
    }

    /// `nil` if nothing was renamed.
    var forDomains: KeyRenaming? {
        renamings.isEmpty ? nil : KeyRenaming(newName: newName(of:), oldNames: oldNames(of:))
    }
}

extension [SettingsMigration] {
    /// Returns the current name of a key; `nil` if no step has renamed it.
    func newName(of key: SettingKey) -> SettingKey? { RenamedKeys(self).newName(of: key) }
}
