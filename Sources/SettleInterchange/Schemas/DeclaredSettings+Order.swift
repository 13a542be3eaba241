package import Settle

/// The order of declaration.
extension DeclaredSettings {
    /// The settings as they are declared: each group is in one piece, where its first setting is. Those without an
    /// order come last, sorted by key.
    package var inOrder: [DeclaredSetting] { sorted(all.map(\.key)).compactMap { self[$0] } }

    /// Whether the order of declaration is known.
    package var isOrdered: Bool {
        all.contains { $0.order != nil } || declaredGroups.values.contains { $0.order != nil }
    }

    /// Returns the keys in the order of their declaration. Keys that are not declared come last in their group.
    package func sorted(_ keys: some Sequence<SettingKey>) -> [SettingKey] {
        let orders = orders
        return keys.map { key in (key: key, path: (key.parents + [key]).map { (orders[$0] ?? .max, $0) }) }
            .sorted { left, right in left.path.lexicographicallyPrecedes(right.path, by: <) }
            .map(\.key)
    }

    /// The positions of the settings, and of the groups around them.
    private var orders: [SettingKey: Int] {
        var orders: [SettingKey: Int] = [:]
        for setting in all {
            let order = setting.order ?? .max
            for key in setting.key.parents + [setting.key] { orders[key] = min(orders[key] ?? .max, order) }
        }
        for (key, group) in declaredGroups { if let order = group.order { orders[key] = order } }
        return orders
    }

    /// Returns the declaration of a group, if it has one.
    package func group(_ key: SettingKey) -> DeclaredGroup? { declaredGroups[key] }
}
