extension StorageLimits {
    /// As much of some values as fits into one batch, with nothing parted that was written together.
    ///
    /// Transactions that overlap may be too much together, although none of them is. Then the part has the first of
    /// them, as they have left their keys: later ones follow with what they have written there again.
    func part(of values: [SettingKey: SettingValue?], keepingTogether groups: [WrittenTogether]) -> BatchPart {
        if fit(values) { return BatchPart(values: values, transactions: Set(groups.indices), isWhole: true) }
        var part = BatchPart()
        for unit in Self.units(of: Array(values.keys), groups) {
            var larger = part.values
            for key in unit { if let value = values[key] { larger.updateValue(value, forKey: key) } }
            if fit(larger) {
                part.values = larger
            } else if part.values.isEmpty {
                part = beginning(of: unit, in: values, groups)
                part.isWhole = part.values == values
                return part
            }
        }
        let values = part.values
        part.transactions = Set(groups.indices.filter { index in groups[index].keys.contains { values[$0] != nil } })
        return part
    }

    /// The first of overlapping transactions, as many as fit into one batch; at least one, which the storage may refuse.
    private func beginning(
        of unit: [SettingKey], in values: [SettingKey: SettingValue?], _ groups: [WrittenTogether]
    ) -> BatchPart {
        var part = BatchPart()
        let keys = Set(unit)
        for (index, group) in groups.enumerated() where group.keys.contains(where: keys.contains) {
            var larger = part.values
            for key in group.keys where keys.contains(key) {
                if let value = group.earlier[key] ?? values[key] { larger.updateValue(value, forKey: key) }
            }
            let isFirst = part.values.isEmpty
            guard fit(larger) || (isFirst && group.isOne) else { break }
            part.values = larger
            part.transactions.insert(index)
        }
        guard part.values.isEmpty else { return part }
        for key in unit.prefix(max(1, self.keys ?? 1)) {
            if let value = values[key] { part.values.updateValue(value, forKey: key) }
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
    private static func units(of keys: [SettingKey], _ groups: [WrittenTogether]) -> [[SettingKey]] {
        var unit = Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
        func first(_ key: SettingKey) -> SettingKey {
            var key = key
            while let next = unit[key], next != key { key = next }
            return key
        }
        for group in groups {
            let known = group.keys.filter { unit[$0] != nil }
            guard let leader = known.first.map(first) else { continue }
            for key in known.dropFirst() { unit[first(key)] = leader }
        }
        return Dictionary(grouping: keys.sorted(), by: first).sorted(by: \.key).map(\.value)
    }
}
