/// Batches for the storage, of no more than it takes at once.
extension PendingSaves {
    /// The next batch, with as much as the storage takes at once.
    ///
    /// - Parameters:
    ///   - revision: The one that is complete with the last part.
    ///   - earlier: The one that is complete until then.
    ///   - changes: What others have stored, and the store has not merged.
    /// - Returns: Also whether the batch has everything.
    mutating func nextBatch(
        _ revision: UInt64, after earlier: UInt64, limits: StorageLimits, conditions: [StorageBatch.Condition],
        with changes: [ExternalChange]
    ) -> (StorageBatch, isWhole: Bool) {
        lastBatch.number += 1
        let all = values.merging(writtenBack) { own, _ in own }
        let part = limits.part(of: all, keepingTogether: transactions)
        inBatch = part.transactions
        var batch = StorageBatch(
            id: lastBatch, revision: part.isWhole ? revision : earlier, values: part.values,
            expectedValues: stored(with: changes).merging(writtenBack.compactMapValues { $0 }) { own, _ in own },
            author: author, conditions: part.values.isEmpty ? [] : conditions)
        batch.writtenTogether = transactions.map(\.keys)
        batch.plainValues = beforeCommits.filter { part.values[$0.key] != nil }
        return (batch, part.isWhole)
    }

    /// All that waits.
    func waiting(_ revision: UInt64, with changes: [ExternalChange]) -> StorageBatch {
        var batch = StorageBatch(
            revision: revision, values: values, expectedValues: stored(with: changes), author: author)
        batch.writtenTogether = transactions.map(\.keys)
        return batch
    }
}

/// The keys that one transaction has written, which are stored together.
struct PendingTransaction: Sendable {
    var keys: [SettingKey]
    /// What it has written at keys that later transactions have written again, as far as that is known.
    var earlier: [SettingKey: SettingValue?] = [:]
    /// Whether it is one transaction, and not several of which the log has forgotten which keys each has written.
    var isOne = true
}

/// A part of what waits to be stored.
struct BatchPart: Sendable {
    var values: [SettingKey: SettingValue?] = [:]
    /// Which of the transactions are complete with it, by their indices.
    var transactions: Set<Int> = []
    /// Whether it is all that waits.
    var isWhole = false
}

extension StorageLimits {
    /// As much of some values as fits into one batch, with nothing parted that was written together.
    ///
    /// Transactions that overlap may be too much together, although none of them is. Then the part has the first of
    /// them, as they have left their keys: later ones follow with what they have written there again.
    func part(of values: [SettingKey: SettingValue?], keepingTogether groups: [PendingTransaction]) -> BatchPart {
        if fit(values) { return BatchPart(values: values, transactions: Set(groups.indices), isWhole: true) }
        var part = BatchPart()
        for unit in Self.units(of: values, groups) {
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
        of unit: [SettingKey], in values: [SettingKey: SettingValue?], _ groups: [PendingTransaction]
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
    private static func units(
        of values: [SettingKey: SettingValue?], _ groups: [PendingTransaction]
    ) -> [[SettingKey]] {
        let known = groups.map { $0.keys.filter { values[$0] != nil } } + values.keys.map { [$0] }
        return known.united().map { $0.sorted() }.sorted(by: \.[0])
    }
}
