public import Settle

/// Storing batches: what is to be sent, on which conditions, and how often.
extension EtcdStorage {
    @discardableResult
    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        try await turns.run { () throws(StorageError) in
            try checkOpen()
            if batch.values.isEmpty { return receipt() }
            for case (let key, let value?) in batch.values { try check(value, at: key) }
            // What is too much is refused before it is kept anywhere.
            let plan = try plan(batch)
            await keep(batch)
            do throws(StorageError) {
                try await store(batch, plan)
            } catch {
                // It was not sent if another one is undecided.
                if error.isOutcomeUnknown, undecided.map({ $0.id == batch.id }) ?? true { leaveOpen(batch) }
                if durability == .synced, !batch.hasCommits { report(await local?.update(.synced) { _ in }) }
                throw error
            }
            await didStore(batch)
            return receipt()
        }
    }

    /// If it turns out to be stored, the store has to be told: it may not append the batch again.
    private func leaveOpen(_ batch: StorageBatch) {
        writes.open = batch
        view.log.leaveOpen(batch.id)
        if view.log.hasNews { signalNews() }
    }

    /// How often a batch is put over what others have stored meanwhile.
    static let attemptLimit = 16

    private func store(_ batch: StorageBatch, _ first: BatchPlan) async throws(StorageError) {
        try await connect()
        let earlier = undecided?.id
        if try await settle(), earlier == batch.id { return }
        for attempt in 0..<Self.attemptLimit {
            // Recognised before its conditions, which its first time may have ended.
            if batch.id == view.lastBatch || batch.id == foundBatch { return }
            try checkConditions(of: batch)
            let isFresh = attempt == 0 && first.marker == view.marker && first.revision == view.mirror.revision
            let plan = isFresh ? first : try plan(batch)
            if try await transact(plan, batch.id) { return }
        }
        throw StorageError(
            batch.conditions.isEmpty ? .unavailable : .conflict,
            "Others have changed the settings under “\(space.prefix)” \(Self.attemptLimit) times in a row. Nothing was stored."
        )
    }

    private func plan(_ batch: StorageBatch) throws(StorageError) -> BatchPlan {
        var fences: [(lock: String, revision: Int64)] = []
        for case .under(let lease) in batch.conditions {
            if let name = lease.name { fences.append((name, Int64(clamping: lease.fencingNumber))) }
        }
        let isExact = batch.conditions.contains { if case .at = $0 { true } else { false } }
        return try BatchPlan(
            batch.values, over: view.mirror, client: view.clientName,
            marker: Marker(session: view.session, batch: batch.id, author: batch.author, time: time.now()),
            fences: fences,
            isExact: isExact)
    }

    private func checkConditions(of batch: StorageBatch) throws(StorageError) {
        for condition in batch.conditions {
            switch condition {
            case .at(let position):
                // A position ahead of the mirror is one of another history.
                guard let number = position.number.map({ Int64(clamping: $0) }), number <= view.mirror.revision,
                    !view.log.hasChanged(since: number)
                else {
                    throw StorageError(
                        .conflict,
                        "Another client has changed the settings under “\(space.prefix)”. Nothing was stored.")
                }
            case .under(let lease): try checkFence(lease)
            case .migrated(let known):
                var tree = SettingTree()
                tree.root[MigrationRecord.name] = view.mirror.value(at: SettingKey(name: MigrationRecord.name))
                if let foreign = MigrationRecord(in: tree).foreignStep(besides: known) {
                    throw .migrated(by: foreign)
                }
            }
        }
    }

    private func receipt() -> StorageReceipt {
        let hasNews = view.log.hasNews
        if !hasNews { view.log.tell(upTo: view.mirror.revision) }
        // What came after the batch is not behind it.
        let revision = view.marker
        return StorageReceipt(
            position: hasNews ? StoragePosition(UInt64(clamping: revision)) : position, durability: .synced,
            hasExternalChanges: hasNews, token: view.recent.token(at: revision) ?? token)
    }
}
