public import Settle

/// Plain writes that were made together and are not known to be in the cluster yet.
struct PendingTransaction: Sendable, Equatable {
    /// The new value of each key; `nil` removes it.
    var values: [SettingKey: SettingValue?]
    /// The revision that the writes were based on.
    var base: Int64
    /// The keys at which something was stored then.
    var replaced: Set<SettingKey>
    /// The revisions after the base at which the client itself had stored something there.
    var own: Set<Int64> = []
    /// The batch that was to store them.
    var batch: StorageBatch.ID
    var author: String?
    /// The time of the writes, in seconds since 2001-01-01 00:00 UTC.
    var time: Double
}

/// Plain writes that were given up, because the cluster had newer values when it could be reached again.
///
/// They are kept for a user, who may write them again.
public struct EtcdLostTransaction: Sendable, Hashable {
    /// The written values; `nil` for a key that was removed.
    public var values: [SettingKey: SettingValue?]
    /// The values that the cluster had instead when the writes were given up.
    public var stored: [SettingKey: SettingValue]
    /// The revision of the cluster that the writes were based on.
    public var base: Int64
    /// The author of the writes, if known.
    public var author: String?
    /// The time of the writes, in seconds since 2001-01-01 00:00 UTC.
    public var time: Double
}

extension PendingTransaction {
    /// Splits a batch into the transactions that were written together.
    ///
    /// - Parameters:
    ///   - base: The revision that the store knew.
    ///   - mirror: Of the revisions in it, only own ones are newer than its own.
    ///   - earlier: The writes that were pending before: their keys keep the base that they had then.
    static func parts(
        of batch: StorageBatch, base: Int64, over mirror: Mirror, earlier: [PendingTransaction], time: Double
    ) -> [PendingTransaction] {
        var known: [SettingKey: PendingTransaction] = [:]
        for transaction in earlier { for key in transaction.values.keys { known[key] = transaction } }
        var parent: [SettingKey: SettingKey] = [:]
        func root(_ key: SettingKey) -> SettingKey {
            var key = key
            while let next = parent[key], next != key { key = next }
            return key
        }
        for key in batch.values.keys { parent[key] = key }
        for group in batch.writtenTogether {
            let own = group.filter { parent[$0] != nil }
            guard let first = own.first else { continue }
            for key in own.dropFirst() { parent[root(key)] = root(first) }
        }
        return Dictionary(grouping: batch.values.keys.sorted(), by: root).sorted { $0.key < $1.key }.map { _, keys in
            var values: [SettingKey: SettingValue?] = [:]
            for key in keys { values.updateValue(batch.values[key] ?? nil, forKey: key) }
            let earlier = keys.compactMap { known[$0] }
            return PendingTransaction(
                values: values, base: earlier.map(\.base).min() ?? base,
                replaced: Set(
                    keys.filter { key in
                        known[key].map { $0.replaced.contains(key) } ?? (batch.expectedValues[key] != nil)
                    }),
                own: keys.reduce(into: Set(earlier.flatMap(\.own))) { own, key in
                    own.formUnion(
                        mirror.entries(concerning: key).lazy.map(\.modRevision).filter { $0 > mirror.revision })
                },
                batch: batch.id, author: batch.author, time: earlier.map(\.time).min() ?? time)
        }
    }

    /// Returns whether others have stored something at one of the keys since.
    ///
    /// - Parameter own: The revisions of the client's own transactions, which do not count as others'.
    func isContested(in mirror: Mirror, own: Set<Int64>) -> Bool {
        let own = own.union(self.own)
        return values.keys.contains { key in
            let entries = mirror.entries(concerning: key)
            if entries.contains(where: { $0.modRevision > base && !own.contains($0.modRevision) }) { return true }
            return replaced.contains(key) && mirror.value(at: key) == nil
        }
    }

    /// Returns whether a batch writes one of the keys.
    func isCovered(by batch: StorageBatch) -> Bool {
        values.keys.contains { Self.isWritten($0, by: batch) }
    }

    static func isWritten(_ key: SettingKey, by batch: StorageBatch) -> Bool {
        batch.values[key] != nil || key.parents.contains { batch.values[$0] != nil }
    }

    /// The next step for a transaction of an earlier process.
    enum NextStep {
        case send(BatchPlan)
        /// It landed when it was sent before.
        case isStored
        /// Others have stored something newer, or the cluster can't store it.
        case giveUp
    }

    /// - Parameters:
    ///   - earlier: The batch with which an earlier process sent it, which may still be on its way.
    ///   - own: The revisions of the client's own transactions, which do not count as others'.
    func nextStep(in view: ClusterView, after earlier: StorageBatch.ID, own: Set<Int64>) -> NextStep {
        let (last, revision) = view.mirror.marker(of: view.clientName)
        if last?.batch == earlier { return .isStored }
        if isContested(in: view.mirror, own: own.union([revision])) { return .giveUp }
        return (try? view.plan(values, of: batch, by: author, at: time)).map { .send($0) } ?? .giveUp
    }

    func lost(in mirror: Mirror) -> EtcdLostTransaction {
        var stored: [SettingKey: SettingValue] = [:]
        for key in values.keys { stored[key] = mirror.value(at: key) }
        return EtcdLostTransaction(values: values, stored: stored, base: base, author: author, time: time)
    }
}

// MARK: In the local copy

extension PendingTransaction {
    var entry: SettingValue {
        var entries = EtcdLostTransaction.entries(values, base, author, time)
        entries["replaced"] = .array(replaced.sorted().map { .string($0.description) })
        if !own.isEmpty { entries["own"] = .array(own.sorted().map { .integer($0) }) }
        entries["store"] = .string(String(batch.store))
        entries["batch"] = .string(String(batch.number))
        return .dictionary(entries)
    }

    private static func revisions(_ value: SettingValue?) -> Set<Int64>? {
        guard case .array(let elements) = value ?? .array([]) else { return nil }
        let revisions = elements.compactMap { if case .integer(let revision) = $0 { revision } else { nil } }
        return revisions.count == elements.count ? Set(revisions) : nil
    }

    /// `nil` if the value has another form.
    init?(_ value: SettingValue) {
        guard case .dictionary(let entries) = value, let lost = EtcdLostTransaction(value),
            let replaced = EtcdLostTransaction.keys(entries["replaced"]), let own = Self.revisions(entries["own"])
        else { return nil }
        self.init(
            values: lost.values, base: lost.base, replaced: Set(replaced), own: own,
            batch: GatewayObject(entries).batch, author: lost.author, time: lost.time)
    }
}

extension EtcdLostTransaction {
    var entry: SettingValue {
        var entries = Self.entries(values, base, author, time)
        entries["stored"] = .dictionary(
            SettingValue.Entries(uniqueKeysWithValues: stored.map { ($0.key.description, $0.value) }))
        return .dictionary(entries)
    }

    /// `nil` if the value has another form.
    init?(_ value: SettingValue) {
        guard case .dictionary(let entries) = value, let set = entries["set"].flatMap(Self.values),
            let removed = Self.keys(entries["removed"]),
            let stored = Self.values(entries["stored"] ?? .dictionary([:]))
        else { return nil }
        var values = set.mapValues(SettingValue?.some)
        for key in removed { values.updateValue(nil, forKey: key) }
        let object = GatewayObject(entries)
        self.init(
            values: values, stored: stored, base: object.signed("base"), author: object.name("author"),
            time: object.real("time") ?? 0)
    }

    static func entries(
        _ values: [SettingKey: SettingValue?], _ base: Int64, _ author: String?, _ time: Double
    ) -> SettingValue.Entries {
        var set: SettingValue.Entries = [:]
        for case (let key, let value?) in values { set[key.description] = value }
        let removed = values.keys.filter { values[$0] == .some(nil) }.sorted()
        var entries: SettingValue.Entries = [
            "set": .dictionary(set), "removed": .array(removed.map { .string($0.description) }), "base": .integer(base),
            "time": .real(time),
        ]
        if let author { entries["author"] = .string(author) }
        return entries
    }

    /// - Returns: `nil` if the value is not a list of keys.
    static func keys(_ value: SettingValue?) -> [SettingKey]? {
        guard case .array(let names) = value ?? .array([]) else { return nil }
        let keys = names.compactMap { if case .string(let name) = $0 { SettingKey(name) } else { nil } }
        return keys.count == names.count ? keys : nil
    }

    private static func values(_ value: SettingValue) -> [SettingKey: SettingValue]? {
        guard case .dictionary(let entries) = value else { return nil }
        var values: [SettingKey: SettingValue] = [:]
        for (name, value) in entries {
            guard let key = SettingKey(name) else { return nil }
            values[key] = value
        }
        return values
    }
}
