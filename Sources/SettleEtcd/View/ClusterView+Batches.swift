import Settle

/// The store's batches as cluster transactions.
extension ClusterView {
    /// Returns some values as a transaction over the known state.
    ///
    /// - Parameter id: The batch that the client's marker will name.
    func plan(
        _ values: [SettingKey: SettingValue?], of id: StorageBatch.ID, by author: String?, at time: Double,
        _ details: TransactionDetails = TransactionDetails(), on conditions: [StorageBatch.Condition] = []
    ) throws(StorageError) -> BatchPlan {
        var fences: [(lock: String, revision: Int64)] = []
        for case .under(let lease) in conditions {
            if let name = lease.name { fences.append((name, Int64(clamping: lease.fencingNumber))) }
        }
        return try BatchPlan(
            values, over: mirror, client: clientName,
            marker: Marker(session: session, batch: id, author: author, time: time, details: details), fences: fences,
            isExact: conditions.contains { if case .at = $0 { true } else { false } })
    }

    /// Returns whether a plan was made over the known state.
    func fits(_ plan: BatchPlan) -> Bool { plan.marker == marker && plan.revision == mirror.revision }

    /// Refuses a batch whose conditions do not hold. Conditions on leases are checked elsewhere.
    func check(_ conditions: [StorageBatch.Condition]) throws(StorageError) {
        for condition in conditions {
            switch condition {
            case .at(let position):
                // A position ahead of the mirror belongs to another history.
                guard let number = position.number.map({ Int64(clamping: $0) }), number <= mirror.revision,
                    !log.hasChanged(since: number)
                else { throw space.changedByOthers }
            case .under: break
            case .migrated(let known):
                var tree = SettingTree()
                tree.root[MigrationRecord.name] = mirror.value(at: SettingKey(name: MigrationRecord.name))
                if let refusal = MigrationRecord(in: tree).refusal(within: known) { throw refusal }
            }
        }
    }

    /// Returns the receipt for the client's newest transaction.
    mutating func receipt() -> StorageReceipt {
        let hasNews = log.hasNews
        if !hasNews { log.tell(upTo: mirror.revision) }
        // The receipt's token must not cover changes made after the batch.
        let revision = marker
        return StorageReceipt(
            position: hasNews ? StoragePosition(UInt64(clamping: revision)) : position, durability: .synced,
            hasExternalChanges: hasNews, token: recent.token(at: revision) ?? recent.end)
    }

    /// A transaction that removes the client's marker; `nil` if only the marker shows that something was stored.
    var removalOfMarker: TransactionRequest? {
        let (marker, revision) = mirror.marker(of: clientName)
        guard marker?.session == session, !mirror.keys.isEmpty else { return nil }
        let key = space.key(KeyName.marker(clientName))
        return TransactionRequest(
            comparisons: [Comparison(key: key, target: .modified(at: revision))], success: [.delete(key: key)])
    }
}
