import Settle

/// A batch as one etcd transaction. Pure.
///
/// The transaction compares the revision of every key that the batch has read or written, with the places at which
/// others could store something around or within it, and the head, which every transaction of a client moves. So the
/// batch fits the stored values, and its price does not depend on how many keys there are. If something has changed,
/// its other branch returns the changes in the same round trip.
struct BatchPlan: Sendable {
    /// The maximum size of a request, less room for the gateway's additions.
    static let sizeLimit = 1_572_864 - 4_096
    /// The maximum number of settings that a transaction writes, besides marker and head.
    static let keyLimit = 126
    /// The maximum number of comparisons in a transaction. A batch that would need more of them compares the whole
    /// prefix instead, and single keys only to detect deletions by others that have not moved the head.
    fileprivate static let comparisonLimit = 120

    /// The maximum number of keys within another one that are deleted one by one.
    private static let deletionLimit = 8

    let request: TransactionRequest
    /// The values that the transaction compares: the mirror's revision, if it compares the whole prefix, and that of
    /// the client's marker.
    let revision: Int64
    let marker: Int64
    /// Whether the transaction proves that nothing else has changed since the mirror's revision.
    let comparesAll: Bool
    /// The writes to apply to the mirror once it has landed, with revisions of 0.
    let puts: [(key: [UInt8], value: [UInt8])]
    let deletes: [[UInt8]]
    /// The keys that the batch writes.
    let keys: [SettingKey]

    /// - Parameters:
    ///   - marker: The value to put at the client's key.
    ///   - fences: The names of the locks that must still be held, and the revisions at which they were taken.
    ///   - reads: The keys that it depends on, beside those that it writes; `nil` for all.
    /// - Throws: An error for values that can't be stored, or for a batch that is too large.
    init(
        _ values: [SettingKey: SettingValue?], over mirror: Mirror, client: String, marker: Marker,
        fences: [(lock: String, revision: Int64)] = [], reads: Set<SettingKey>? = []
    ) throws(StorageError) {
        let space = mirror.space
        var writes: [SettingKey: SettingValue?] = [:]
        // A dictionary and keys in it, in the batch or in the cluster, become one write of the outermost key.
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let around = key.parents.first { writes[$0] != nil } ?? mirror.outermost(around: key)
            guard let outer = around else {
                writes.updateValue(value, forKey: key)
                continue
            }
            var tree = SettingTree()
            tree[outer] = writes[outer] ?? mirror.value(at: outer)
            tree[key] = value
            writes.updateValue(tree[outer], forKey: outer)
        }
        var operations: [Operation] = []
        var puts: [(key: [UInt8], value: [UInt8])] = []
        var deletes: [[UInt8]] = []
        for (key, value) in writes.sorted(by: { $0.key < $1.key }) {
            let bytes = space.key(KeyName(key))
            let inner = mirror.keys(within: key)
            if !inner.isEmpty {
                let keys = inner.map { space.key(KeyName($0)) }
                // One by one, so that others' keys stay, unless there are too many.
                if keys.count <= Self.deletionLimit {
                    operations += keys.map { .delete(key: $0) }
                } else {
                    let range = space.within(key)
                    operations.append(.delete(key: range.key, end: range.end))
                }
                deletes += keys
            }
            if let value {
                let json = try Self.encode(value, key)
                operations.append(.put(key: bytes, value: json))
                puts.append((bytes, json))
            } else if mirror.entry(at: key) != nil {
                operations.append(.delete(key: bytes))
                deletes.append(bytes)
            }
        }
        for (name, value) in [(KeyName.marker(client), marker.bytes), (.head, [])] {
            operations.append(.put(key: space.key(name), value: value))
            puts.append((space.key(name), value))
        }
        (self.puts, self.deletes) = (puts, deletes)
        keys = values.keys.sorted()
        revision = mirror.revision
        self.marker = mirror.marker(of: client).modRevision
        var comparisons = mirror.comparisons(ofClient: client, fences)
        let depended = reads.map { $0.union(writes.keys) }
        let places = depended.flatMap { mirror.comparisons(of: $0, atMost: Self.comparisonLimit - comparisons.count) }
        comparesAll = places == nil
        comparisons +=
            places
            ?? mirror.comparisonsOfAll(
                writing: Set(writes.keys), dependsOnAll: reads?.isEmpty != true,
                atMost: Self.comparisonLimit - comparisons.count)
        request = TransactionRequest(
            comparisons: comparisons, success: operations, failure: [.range(space.all(after: mirror.revision))])
        guard operations.count <= Self.keyLimit + 2, values.count <= Self.keyLimit else {
            throw space.tooManyOperations(operations.count - 2, limit: Self.keyLimit)
        }
        guard request.size <= Self.sizeLimit else {
            let largest = values.max { ($0.value?.roughSize ?? 0) < ($1.value?.roughSize ?? 0) }
            throw space.tooLarge(request.size, limit: Self.sizeLimit, largest: largest?.key)
        }
    }

    static func encode(_ value: SettingValue, _ key: SettingKey) throws(StorageError) -> [UInt8] {
        do {
            return try value.jsonBytes()
        } catch {
            throw StorageError(.unsupportedValue, "“\(key)” can't be stored as JSON: \(error)")
        }
    }

    /// Returns the update of the mirror for a transaction that has landed.
    func update(at revision: Int64, over mirror: Mirror) -> Mirror.Update {
        Mirror.Update(
            revision: revision,
            puts: puts.map { key, value in
                let known = mirror.space.name(of: key).flatMap { mirror.entries[$0] }
                return GatewayPair(
                    key: key, value: value, createRevision: known?.createRevision ?? revision, modRevision: revision)
            },
            deletes: deletes)
    }
}

extension ClusterView {
    /// Returns a transaction that only compares what was read; `nil` if that would be too many comparisons. Because of
    /// its other branch, a majority answers.
    func comparison(of reads: Set<SettingKey>?) -> TransactionRequest? {
        guard let reads else { return nil }
        let own = mirror.comparisons(ofClient: clientName, [])
        guard let places = mirror.comparisons(of: reads, atMost: BatchPlan.comparisonLimit - own.count) else {
            return nil
        }
        return TransactionRequest(
            comparisons: own + places, success: [], failure: [.range(space.all(after: mirror.revision))])
    }
}

extension Mirror {
    /// Returns the comparisons that every transaction of a client makes.
    fileprivate func comparisons(
        ofClient client: String, _ fences: [(lock: String, revision: Int64)]
    ) -> [Comparison] {
        let own = [KeyName.marker(client), .head].map {
            Comparison(key: space.key($0), target: .modified(at: entries[$0]?.modRevision ?? 0))
        }
        return own
            + fences.map { Comparison(key: space.key(KeyName.lock($0)), target: .created(at: $1)) }
    }

    /// Returns comparisons that fail if something has changed at, around or within some keys.
    ///
    /// - Returns: `nil` if they would be too many.
    fileprivate func comparisons(of keys: Set<SettingKey>, atMost limit: Int) -> [Comparison]? {
        guard 2 * keys.count <= limit else { return nil }
        var places = Set(keys)
        for key in keys {
            places.formUnion(key.parents)
            places.formUnion(self.keys(within: key))
            guard places.count + keys.count <= limit else { return nil }
        }
        // A range shows what is new within a key, and a key by itself what is gone.
        return places.sorted().map(comparison)
            + keys.sorted().map { key in
                let range = space.within(key)
                return Comparison(key: range.key, end: range.end, target: .unmodified(since: revision + 1))
            }
    }

    /// Returns comparisons that fail if something has changed under the prefix. That something was deleted by others
    /// without moving the head shows only at the keys that are compared one by one.
    fileprivate func comparisonsOfAll(
        writing keys: Set<SettingKey>, dependsOnAll: Bool, atMost limit: Int
    ) -> [Comparison] {
        let (first, end) = space.range
        let written = keys.filter { entry(at: $0) != nil }.sorted()
        // Any of the others: finding the first ones would take longer the more there are.
        let others = dependsOnAll ? self.keys(besides: Set(written), atMost: limit).sorted() : []
        return [Comparison(key: first, end: end, target: .unmodified(since: revision + 1))]
            + (written + others).prefix(limit - 1).map(comparison)
    }

    private func comparison(of key: SettingKey) -> Comparison {
        Comparison(key: space.key(KeyName(key)), target: .modified(at: entry(at: key)?.modRevision ?? 0))
    }
}
