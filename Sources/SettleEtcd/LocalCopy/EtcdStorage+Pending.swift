import Settle

/// The local copy: the last known values, and plain writes that are not known to be in the cluster.
extension EtcdStorage {
    /// Plain writes that were given up because the cluster had newer values, oldest first. They are kept until
    /// ``forget(_:)``.
    public func lostTransactions() async -> [EtcdLostTransaction] {
        await local?.contents.lost ?? []
    }

    /// Plain writes that are not known to be in the cluster yet.
    public func pendingTransactionCount() -> Int { inherited.count + kept.count }

    /// Removes plain writes that were given up, such as when a person has written them again.
    public func forget(_ transaction: EtcdLostTransaction) async {
        report(await local?.update(.synced) { $0.lost.removeAll { $0 == transaction } })
    }

    // MARK: At the start

    func loadLocalCopy() async throws(StorageError) {
        guard let local, !isLocalLoaded else { return }
        let contents = try await local.load()
        isLocalLoaded = true
        let name = contents.client ?? clientName
        clientName = name
        inherited = contents.prefix == space.prefix || contents.prefix.isEmpty ? contents.pending : []
        report(await local.update { $0.client = name })
    }

    /// Leaves the marker to another process.
    func changeClient() async {
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        clientName = name
        report(await local?.update { $0.client = name })
    }

    /// Starts without the cluster.
    func loadLastKnown(after failure: GatewayFailure) async throws(StorageError) -> StorageContents {
        let error = storageError(failure, "read")
        guard error.code == .unavailable, configuration.start == .withLastKnownValues,
            let contents = await local?.contents, contents.hasValues, contents.prefix == space.prefix
        else { throw error }
        mirror.restore(contents.pairs(in: space), cluster: contents.cluster, revision: contents.revision)
        log.begin(at: mirror.revision)
        // Without the markers its place in the history is not known.
        recent.withLock { $0.begin(at: nil) }
        isStale = true
        phase = .open
        var tree = mirror.tree
        for transaction in inherited { tree.apply(transaction.values) }
        return StorageContents(
            tree: tree,
            outcome: .recovered(
                description: "\(error.description) These are the last known values, of revision \(contents.revision).",
                isComplete: false),
            position: position, token: token)
    }

    /// Sends what an earlier process could not: each transaction as a whole, if none of its keys is newer in the cluster.
    func sendInherited() async throws(StorageError) {
        var own: Set<Int64> = []
        while var transaction = inherited.first {
            let (marker, revision) = mirror.marker(of: clientName)
            own.insert(revision)
            if marker?.batch != transaction.batch {
                // A number of its own, by which the next process finds out whether it has landed.
                transaction.batch = StorageBatch.ID()
                inherited[0] = transaction
                await savePending()
                guard try await send(transaction, own: own) else {
                    await lose(transaction)
                    continue
                }
            }
            inherited.removeFirst()
            await savePending()
        }
    }

    /// - Returns: False if a key is newer in the cluster.
    private func send(_ transaction: PendingTransaction, own: Set<Int64>) async throws(StorageError) -> Bool {
        if doubt != nil { _ = try await settle() }
        for _ in 0..<Self.attemptLimit {
            if transaction.isContested(in: mirror, own: own) { return false }
            let marker = Marker(
                session: session, batch: transaction.batch, author: transaction.author, time: transaction.time)
            // What the cluster can't hold is for a person to judge, too.
            guard let plan = try? BatchPlan(transaction.values, over: mirror, client: clientName, marker: marker) else {
                return false
            }
            if try await transact(plan, transaction.batch) { return true }
        }
        throw StorageError(
            .unavailable,
            "Others have changed the settings under “\(space.prefix)” \(Self.attemptLimit) times in a row. What is pending stays so."
        )
    }

    /// The cluster's values win.
    private func lose(_ transaction: PendingTransaction) async {
        inherited.removeAll { $0 == transaction }
        let lost = transaction.lost(in: mirror)
        var values: [SettingKey: SettingValue?] = [:]
        for key in transaction.values.keys { values.updateValue(mirror.value(at: key), forKey: key) }
        // The store may have begun with what was written.
        log.add(ChangeLog.Entry(revision: mirror.revision, values: values, isOwn: false))
        let pending = inherited + kept
        report(
            await local?.update(.synced) { contents in
                contents.pending = pending
                contents.lost.append(lost)
            })
        let keys = transaction.values.keys.sorted().map { "“\($0)”" }.joined(separator: ", ")
        tell(
            .issue(
                StorageError(
                    .conflict,
                    "What was written at \(keys) while the cluster could not be reached was given up: the cluster has newer "
                        + "values under “\(space.prefix)”. It is kept in the local copy; see `lostTransactions()`.")))
    }

    /// What was based on another cluster is for a person to judge.
    func loseInherited() async {
        while let transaction = inherited.first { await lose(transaction) }
    }

    // MARK: While the process runs

    /// Keeps plain writes before they are sent.
    func keep(_ batch: StorageBatch) async {
        guard local != nil, !batch.hasCommits else { return }
        let given = givenUp(by: batch)
        // The rest of what the store has comes with later batches.
        let rest = batch.isPart ? kept.filter { !$0.isCovered(by: batch) } : []
        kept = PendingTransaction.parts(of: batch, base: log.told, earlier: kept, time: time.now()) + rest
        await savePending(lost: given)
    }

    /// A batch is in the cluster.
    func didStore(_ batch: StorageBatch) async {
        guard local != nil else { return }
        let given = givenUp(by: batch)
        guard !kept.isEmpty || !given.isEmpty else { return await saveLocalCopy() }
        kept = batch.isPart ? kept.filter { !$0.isCovered(by: batch) } : []
        await savePending(lost: given)
    }

    /// What was kept and is not in what the store appends now: others were faster, and it has reported that.
    private func givenUp(by batch: StorageBatch) -> [EtcdLostTransaction] {
        if batch.isPart { return [] }
        return kept.filter { transaction in
            transaction.values.contains { key, value in
                !PendingTransaction.isWritten(key, by: batch) && mirror.value(at: key) != value
            }
        }.map { $0.lost(in: mirror) }
    }

    private func savePending(lost: [EtcdLostTransaction] = []) async {
        let (pending, mirror) = (inherited + kept, mirror)
        report(
            await local?.update { contents in
                contents.pending = pending
                contents.lost += lost
                contents.take(mirror)
            })
    }

    /// Keeps the values that are known now.
    func saveLocalCopy() async {
        guard let local else { return }
        let mirror = mirror
        report(await local.update { $0.take(mirror) })
    }

    func syncLocalCopy() async {
        report(await local?.update(.synced) { _ in })
    }

    private func report(_ error: StorageError?) {
        guard let error else { return }
        tell(.issue(error))
    }
}
