extension StorageLimits {
    /// As much of some values as fits into one batch. Values that were written together are not parted, unless they
    /// alone are too many: transactions that overlap may have become more than any of them.
    func part(
        of values: [SettingKey: SettingValue?], keepingTogether groups: [[SettingKey]]
    ) -> [SettingKey: SettingValue?] {
        guard fit(values) == false else { return values }
        var part: [SettingKey: SettingValue?] = [:]
        for unit in Self.units(of: Array(values.keys), groups) {
            var larger = part
            for key in unit { if let value = values[key] { larger.updateValue(value, forKey: key) } }
            if fit(larger) {
                part = larger
            } else if part.isEmpty {
                for key in unit.prefix(max(1, keys ?? 1)) {
                    if let value = values[key] { part.updateValue(value, forKey: key) }
                }
                return part
            }
        }
        return part
    }

    /// Whether a batch may be too large.
    var mayPart: Bool { keys != nil || bytes != nil }

    private func fit(_ values: [SettingKey: SettingValue?]) -> Bool {
        if let keys, values.count > keys { return false }
        guard let bytes else { return true }
        return values.values.reduce(0) { $0 + ($1?.roughSize ?? 0) } <= bytes
    }

    /// The keys in the groups that they form together, in a fixed order.
    private static func units(of keys: [SettingKey], _ groups: [[SettingKey]]) -> [[SettingKey]] {
        var unit = Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
        func first(_ key: SettingKey) -> SettingKey {
            var key = key
            while let next = unit[key], next != key { key = next }
            return key
        }
        for group in groups {
            let known = group.filter { unit[$0] != nil }
            guard let leader = known.first.map(first) else { continue }
            for key in known.dropFirst() { unit[first(key)] = leader }
        }
        return Dictionary(grouping: keys.sorted(), by: first).sorted { $0.key < $1.key }.map(\.value)
    }
}
