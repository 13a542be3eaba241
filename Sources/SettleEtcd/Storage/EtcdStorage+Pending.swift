public import Settle

/// The local copy: the last known values, and plain writes that are not known to be in the cluster.
extension EtcdStorage {
    /// Returns the plain writes that were given up because the cluster had newer values, oldest first. They are kept
    /// until ``forget(_:)``.
    public func lostTransactions() async -> [EtcdLostTransaction] {
        await local?.contents.lost ?? []
    }

    /// Returns the number of transactions of plain writes that are not known to be in the cluster yet.
    public func pendingTransactionCount() -> Int { writes.all.count }

    /// Removes plain writes that were given up, for example when a user has written them again.
    public func forget(_ transaction: EtcdLostTransaction) async {
        report(await local?.update(.synced) { $0.lost.removeAll { $0 == transaction } })
    }

    // MARK: At the start

    func loadLocalCopy() async throws(StorageError) {
        guard let local, !isLocalLoaded else { return }
        let contents = try await local.load()
        isLocalLoaded = true
        writes.inherited = contents.pending
        await takeClientName(contents.client ?? view.clientName)
    }

    /// Gives up writes made for other settings, which must not overwrite these.
    func compareWithLocalCopy() async {
        guard let contents = await local?.contents, let reason = contents.difference(from: view.mirror) else { return }
        let isElsewhere = contents.space != space
        await giveUpInherited(because: reason, isElsewhere: isElsewhere)
        if isElsewhere { events.send(.issue(space.localCopyIsForeign(contents.space?.prefix ?? ""))) }
    }

    func takeClientName(_ name: String) async {
        view.clientName = name
        report(await local?.update { $0.client = name })
    }

    /// Sends the transactions that an earlier process could not send: each as a whole, if none of its keys is newer in
    /// the cluster.
    func sendInherited() async throws(StorageError) {
        var own: Set<Int64> = []
        while var transaction = writes.inherited.first {
            // Check before it gets another number: a batch lost on its way may have landed.
            let undecided = undecided?.id
            let hasLanded = try await settle() && undecided == transaction.batch
            let (marker, revision) = view.mirror.marker(of: view.clientName)
            own.insert(revision)
            if !hasLanded, marker?.batch != transaction.batch {
                // A number of its own, by which the next process finds out whether it has landed.
                let earlier = transaction.batch
                transaction.batch = StorageBatch.ID()
                writes.inherited[0] = transaction
                await save()
                guard try await send(transaction, after: earlier, own: own) else {
                    await giveUp(transaction, because: "the cluster has newer values")
                    continue
                }
            }
            writes.inherited.removeFirst()
            await save()
        }
    }

    /// - Returns: False if it must be given up.
    private func send(
        _ transaction: PendingTransaction, after earlier: StorageBatch.ID, own: Set<Int64>
    ) async throws(StorageError) -> Bool {
        for _ in 0..<Self.attemptLimit {
            switch transaction.nextStep(in: view, after: earlier, own: own) {
            case .isStored: return true
            case .giveUp: return false
            case .send(let plan):
                switch try await transact(plan, transaction.batch) {
                case .landed: return true
                case .overtaken: break
                // It stays pending, and is sent again with the next call.
                case .lost(let error): throw error
                }
            }
        }
        throw space.overtaken(Self.attemptLimit, outcome: "Pending writes stay pending.")
    }

    /// Gives up writes in favor of the cluster's values.
    ///
    /// - Parameter isElsewhere: Whether it was written for other settings, which are unknown here.
    private func giveUp(
        _ transaction: PendingTransaction, because reason: String, isElsewhere: Bool = false
    ) async {
        writes.inherited.removeAll { $0 == transaction }
        // The store may have started with the written values.
        view.logValues(at: transaction.values.keys)
        await save(lost: [transaction.lost(in: isElsewhere ? Mirror(space) : view.mirror)], .synced)
        events.send(.issue(space.givenUp(transaction.values.keys.sorted(), because: reason)))
    }

    func giveUpInherited(because reason: String, isElsewhere: Bool = false) async {
        while let transaction = writes.inherited.first {
            await giveUp(transaction, because: reason, isElsewhere: isElsewhere)
        }
    }

    // MARK: While the process runs

    /// Whether there is a local copy.
    public nonisolated var preservesWaiting: Bool { local != nil }

    public func preserve(_ waiting: StorageBatch) async {
        await turns.enter()
        defer { turns.leave() }
        guard phase == .open, local != nil else { return }
        writes.preserve(
            waiting, base: view.log.told, time: wallTime, over: view.mirror, undecided: undecided?.id)
        await save()
    }

    /// Saves plain writes locally before they are sent.
    func keep(_ batch: StorageBatch) async {
        guard local != nil else { return }
        let lost = writes.add(batch, base: view.log.told, time: wallTime, over: view.mirror)
        if let lost { await save(lost: lost) }
    }

    /// Records that a batch is in the cluster.
    func didStore(_ batch: StorageBatch) async {
        if writes.open?.id == batch.id { writes.open = nil }
        view.log.settle(batch.id)
        guard local != nil else { return }
        await save(lost: writes.didStore(batch, over: view.mirror))
    }

    /// Writes the local copy: the values known now, and the pending writes.
    func save(lost: [EtcdLostTransaction] = [], _ durability: StorageDurability = .buffered) async {
        guard let local else { return }
        let (pending, mirror, witness) = (writes.all, view.mirror, isStale ? nil : view.witness)
        report(
            await local.update(durability) { contents in
                contents.pending = pending
                contents.lost += lost
                contents.take(mirror, witness)
            })
    }

    func report(_ error: StorageError?) {
        if let error { events.send(.issue(error)) }
    }
}
