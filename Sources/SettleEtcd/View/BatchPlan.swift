import Settle

/// A batch as one etcd transaction. Pure.
///
/// The transaction compares that nothing under the prefix has changed since the mirror's revision, so its writes always
/// fit the stored values. If something has changed, its other branch returns the changes in the same round trip.
struct BatchPlan: Sendable {
    /// The maximum size of a request, less room for the gateway's additions.
    static let sizeLimit = 1_572_864 - 4_096
    /// The maximum number of settings that a transaction writes, besides the marker.
    static let keyLimit = 127
    /// The maximum number of comparisons with single keys in a transaction, to detect deletions by others without a
    /// marker.
    private static let comparisonLimit = 100

    /// The maximum number of keys within another one that are deleted one by one.
    private static let deletionLimit = 8

    let request: TransactionRequest
    /// The values that the transaction compares: the mirror's revision, and that of the client's marker.
    let revision: Int64
    let marker: Int64
    /// The writes to apply to the mirror once it has landed, with revisions of 0.
    let puts: [(key: [UInt8], value: [UInt8])]
    let deletes: [[UInt8]]
    /// The keys that the batch writes.
    let keys: [SettingKey]

    /// - Parameters:
    ///   - marker: The value to put at the client's key.
    ///   - fences: The names of the locks that must still be held, and the revisions at which they were taken.
    ///   - isExact: Whether the batch depends on all values, so that a deletion by a tool without a marker matters too.
    /// - Throws: An error for values that can't be stored, or for a batch that is too large.
    init(
        _ values: [SettingKey: SettingValue?], over mirror: Mirror, client: String, marker: Marker,
        fences: [(lock: String, revision: Int64)] = [], isExact: Bool = false
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
        let own = space.key(KeyName.marker(client))
        operations.append(.put(key: own, value: marker.bytes))
        puts.append((own, marker.bytes))
        (self.puts, self.deletes) = (puts, deletes)
        keys = values.keys.sorted()
        revision = mirror.revision
        self.marker = mirror.marker(of: client).modRevision
        request = TransactionRequest(
            comparisons: Self.comparisons(writes, mirror, client, fences, isExact: isExact), success: operations,
            failure: [.range(space.all(after: mirror.revision))])
        guard operations.count <= Self.keyLimit + 1, values.count <= Self.keyLimit else {
            throw space.tooManyOperations(operations.count - 1, limit: Self.keyLimit)
        }
        guard request.size <= Self.sizeLimit else {
            let largest = values.max { ($0.value?.roughSize ?? 0) < ($1.value?.roughSize ?? 0) }
            throw space.tooLarge(request.size, limit: Self.sizeLimit, largest: largest?.key)
        }
    }

    private static func comparisons(
        _ writes: [SettingKey: SettingValue?], _ mirror: Mirror, _ client: String,
        _ fences: [(lock: String, revision: Int64)], isExact: Bool
    ) -> [Comparison] {
        let space = mirror.space
        let marker = mirror.marker(of: client).modRevision
        var comparisons = [Comparison(key: space.key(KeyName.marker(client)), target: .modified(at: marker))]
        comparisons += fences.map { lock, revision in
            Comparison(key: space.key(KeyName.lock(lock)), target: .created(at: revision))
        }
        let (key, end) = space.range
        comparisons.append(Comparison(key: key, end: end, target: .unmodified(since: mirror.revision + 1)))
        let written = writes.keys.filter { mirror.entry(at: $0) != nil }.sorted()
        // Any of the others: finding the first ones would take longer the more there are.
        let others = isExact ? mirror.keys(besides: Set(written), atMost: comparisonLimit).sorted() : []
        for key in (written + others).prefix(comparisonLimit) {
            comparisons.append(
                Comparison(
                    key: space.key(KeyName(key)), target: .modified(at: mirror.entry(at: key)?.modRevision ?? 0)))
        }
        return comparisons
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
