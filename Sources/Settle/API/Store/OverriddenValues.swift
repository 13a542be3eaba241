/// The values that code has put over settings. Guarded by the writer's lock of their store.
struct OverriddenValues {
    private var values: [SettingKey: [(number: UInt64, value: SettingValue)]] = [:]
    private var lastNumber: UInt64 = 0

    /// The newest value of a key.
    subscript(key: SettingKey) -> SettingValue? { values[key]?.last?.value }

    /// The newest value of each key.
    var tree: SettingTree {
        values.keys.sorted().reduce(into: SettingTree()) { tree, key in tree[key] = self[key] }
    }

    mutating func add(_ value: SettingValue, forKey key: SettingKey) -> UInt64 {
        lastNumber += 1
        values[key, default: []].append((lastNumber, value))
        return lastNumber
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ number: UInt64, forKey key: SettingKey) -> Bool {
        guard let index = values[key]?.firstIndex(where: { $0.number == number }) else { return false }
        values[key]?.remove(at: index)
        if values[key]?.isEmpty == true { values[key] = nil }
        return true
    }
}
