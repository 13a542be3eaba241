public import Settle

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
        inherited = contents.pending
        report(await local.update { $0.client = name })
    }

    /// What was written for other settings must not be put over these: those of another prefix, of another cluster, or of a
    /// later state of this one, as before a backup was restored.
    func compareWithLocalCopy() async {
        guard let contents = await local?.contents, contents.hasValues else { return }
        if contents.prefix != space.prefix {
            await loseInherited(
                because: "it was written for the settings under “\(contents.prefix)”", isElsewhere: true)
            tell(
                .issue(
                    StorageError(
                        .unreadable,
                        "The local copy of the settings under “\(space.prefix)” was one of those under “\(contents.prefix)”, and "
                            + "begins anew. Give each prefix a file of its own.")))
        } else if contents.cluster != mirror.cluster || contents.revision > mirror.revision {
            await loseInherited(because: Self.otherCluster)
        }
    }

    static let otherCluster = "it was based on another cluster, or on a later state of this one"

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
            // Before it has another number: what was lost on its way may have landed.
            let open = doubt?.batch
            let hasLanded = try await settle() && open == transaction.batch
            let (marker, revision) = mirror.marker(of: clientName)
            own.insert(revision)
            if !hasLanded, marker?.batch != transaction.batch {
                // A number of its own, by which the next process finds out whether it has landed.
                let earlier = transaction.batch
                transaction.batch = StorageBatch.ID()
                inherited[0] = transaction
                await savePending()
                guard try await send(transaction, after: earlier, own: own) else {
                    await lose(transaction, because: "the cluster has newer values")
                    continue
                }
            }
            inherited.removeFirst()
            await savePending()
        }
    }

    /// - Parameter earlier: The batch with which an earlier process has sent it, which may be on its way still.
    /// - Returns: False if a key is newer in the cluster.
    private func send(
        _ transaction: PendingTransaction, after earlier: StorageBatch.ID, own: Set<Int64>
    ) async throws(StorageError) -> Bool {
        for _ in 0..<Self.attemptLimit {
            let (last, revision) = mirror.marker(of: clientName)
            if last?.batch == earlier { return true }
            let own = own.union([revision])
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
    ///
    /// - Parameter isElsewhere: Whether it was written for other settings, of which nothing is known here.
    private func lose(_ transaction: PendingTransaction, because reason: String, isElsewhere: Bool = false) async {
        inherited.removeAll { $0 == transaction }
        let lost = transaction.lost(in: isElsewhere ? Mirror(space) : mirror)
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
                    "What was written at \(keys) under “\(space.prefix)” while the cluster could not be reached was given up: "
                        + "\(reason). It is kept in the local copy; see `lostTransactions()`.")))
    }

    /// What was based on another cluster is for a person to judge.
    func loseInherited(because reason: String, isElsewhere: Bool = false) async {
        while let transaction = inherited.first {
            await lose(transaction, because: reason, isElsewhere: isElsewhere)
        }
    }

    // MARK: While the process runs

    /// Keeps plain writes before they are sent. Those that share a batch with commits stay in force if these are undone.
    func keep(_ batch: StorageBatch) async {
        guard local != nil else { return }
        var batch = batch
        if batch.hasCommits { batch.values = batch.plainValues }
        if batch.hasCommits, batch.values.isEmpty, kept.isEmpty { return }
        let given = givenUp(by: batch)
        // The rest of what the store has comes with later batches.
        let rest = batch.isPart ? kept.filter { !$0.isCovered(by: batch) } : []
        kept = PendingTransaction.parts(of: batch, base: log.told, earlier: kept, time: time.now()) + rest
        await savePending(lost: given)
    }

    /// With a local copy.
    public nonisolated var preservesWaiting: Bool { local != nil }

    public func preserve(_ waiting: StorageBatch) async {
        await turns.enter()
        defer { turns.leave() }
        guard phase == .open, local != nil else { return }
        let parts = PendingTransaction.parts(of: waiting, base: log.told, earlier: kept, time: time.now())
        kept = parts.map { part in
            var part = part
            // While it may be on its way, the next process finds out by its number whether it has landed.
            if let open, open.id == doubt?.batch, part.values.allSatisfy({ open.values[$0.key] == .some($0.value) }) {
                part.batch = open.id
            }
            return part
        }
        await savePending()
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
    ///
    /// - Parameter batches: Those that have turned out to be stored.
    func saveLocalCopy(storing batches: [StorageBatch.ID] = []) async {
        guard let local else { return }
        if kept.contains(where: { batches.contains($0.batch) }) {
            kept.removeAll { batches.contains($0.batch) }
            return await savePending()
        }
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
