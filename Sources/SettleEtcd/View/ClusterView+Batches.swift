import Settle

/// The store's batches as cluster transactions.
extension ClusterView {
    /// Returns some values as a transaction over the known state.
    ///
    /// - Parameters:
    ///   - id: The batch that the client's marker will name.
    ///   - reads: The keys that must be unchanged; `nil` for all.
    func plan(
        _ values: [SettingKey: SettingValue?], of id: StorageBatch.ID, by author: String?, at time: Double,
        _ details: TransactionDetails = TransactionDetails(), on conditions: [StorageBatch.Condition] = [],
        reading reads: Set<SettingKey>? = nil
    ) throws(StorageError) -> BatchPlan {
        var fences: [(lock: String, revision: Int64)] = []
        for case .under(let lease) in conditions {
            if let name = lease.name { fences.append((name, Int64(clamping: lease.fencingNumber))) }
        }
        return try BatchPlan(
            values, over: mirror, client: clientName,
            marker: Marker(session: session, batch: id, author: author, time: time, details: details), fences: fences,
            reads: conditions.contains { if case .at = $0 { true } else { false } } ? reads : [])
    }

    /// Returns whether a plan was made over the known state.
    func fits(_ plan: BatchPlan) -> Bool { plan.marker == marker && plan.revision == mirror.revision }

    /// Returns whether a transaction's comparisons hold for the known state.
    func holds(_ request: TransactionRequest) -> Bool {
        var newer: [(key: [UInt8], revision: Int64)] = []
        let oldest = request.comparisons.lazy.compactMap { comparison -> Int64? in
            if case .unmodified(since: let revision) = comparison.target { revision } else { nil }
        }.min()
        if let oldest {
            for (name, entry) in mirror.entries where entry.modRevision >= oldest {
                newer.append((space.key(name), entry.modRevision))
            }
        }
        return request.comparisons.allSatisfy { comparison in
            switch comparison.target {
            case .modified(at: let revision): mirror.modRevision(of: comparison.key) == revision
            case .unmodified(since: let revision):
                !newer.contains { key, changed in
                    changed >= revision && !key.lexicographicallyPrecedes(comparison.key)
                        && key.lexicographicallyPrecedes(comparison.end ?? [])
                }
            case .created(at: let revision):
                (space.name(of: comparison.key).flatMap { mirror.entries[$0]?.createRevision } ?? 0) == revision
            }
        }
    }

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
                try tree.checkMigrations(within: known)
            }
        }
    }

    /// Returns the receipt for the client's newest transaction.
    mutating func receipt() -> StorageReceipt {
        let hasNews = log.hasNews
        // The receipt's token must not cover changes made after the batch.
        let revision = marker
        if !hasNews { log.tell(upTo: mirror.revision) }
        return StorageReceipt(
            position: hasNews ? StoragePosition(UInt64(clamping: min(mirror.revision, revision))) : position,
            durability: .synced,
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
