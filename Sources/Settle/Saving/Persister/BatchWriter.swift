/// Writes published values to the storage, batch by batch, and tracks how store and storage differ: `pending` is what
/// the storage lacks, `external` what the store lacks.
///
/// Belongs to the persister and runs on its queue. The persister decides when to append, with which commits, and what
/// follows from a failure.
final class BatchWriter {
    let storage: any Storage
    let limits: StorageLimits
    let log: MutationLog
    let time: TimeSource
    let report: @Sendable (SettingsError) -> Void
    var pending = PendingSaves()
    var external: ExternalChanges
    var isolation = TransactionIsolation.none
    var history: HistoryWriter
    /// The storage has accepted everything encodable up to this revision.
    private(set) var lastHandedOver: UInt64 = 0
    /// Whether to call the storage even without changes, because its last call failed.
    var mustRepeat = false
    /// The reason why the unconfirmed commit has changed without a value.
    var recordReason: String?
    /// Whether anything appended is not on stable storage yet.
    var hasUnsynced = false

    /// The maximum number of values to set aside before the storage's refusal of a batch counts as a failure.
    private static let refusalLimit = 16

    init(
        _ storage: any Storage, external: ExternalChanges, log: MutationLog, time: TimeSource,
        report: @escaping @Sendable (SettingsError) -> Void
    ) {
        self.storage = storage
        limits = storage.limits
        self.external = external
        self.log = log
        self.time = time
        self.report = report
        history = HistoryWriter(storage, log: log, time: time)
    }

    /// All stored values as far as the storage has reported them: without unsaved values, but with changes that the
    /// store has not merged yet.
    var stored: SettingTree {
        var tree = mergedTree
        external.unmerged.apply(to: &tree)
        return tree
    }

    /// The same as ``stored``, without the changes that the store has not merged yet.
    var mergedTree: SettingTree {
        var tree = log.lock.withLock { log.stored.tree }
        pending.removeUnsaved(from: &tree)
        // The record of an unconfirmed commit waits with the values, but is stored beside them.
        if tree[UnconfirmedCommit.key] != nil { tree[UnconfirmedCommit.key] = nil }
        return tree
    }

    /// Whether the storage has changed since the transactions began, so that nothing can be appended before these have
    /// ended.
    var isIsolationOver: Bool { isolation.mayConflict && isolation != .position(external.position) }

    // MARK: Appending

    /// Appends the collected values, in as many batches as the storage's limits require.
    ///
    /// The storage may refuse a batch for its values: as too large for one record, or for a reason that checking the
    /// single values did not show. Then the largest values are set aside one after the other. Otherwise a single value
    /// would keep all later changes from being saved, unnoticed until the next launch.
    ///
    /// - Parameter oldest: The wall time of the oldest pending change.
    /// - Returns: The storage's answer, and the error of a value that was left out, if any.
    func append(
        _ revision: UInt64, _ durability: StorageDurability, for group: CommitGroup, changedAt oldest: Double?
    ) async throws(StorageError) -> (receipt: StorageReceipt, refused: SettingsError?) {
        var refused: SettingsError?
        var largest: ArraySlice<SettingKey> = []
        var refusals = 0
        try await resolve(durability)
        if let refusal = external.migrations.refusal, !pending.isEmpty { throw refusal }
        while true {
            let (batch, isWhole) = nextBatch(revision, for: group)
            do {
                let receipt = try await appendRepeatedly(batch, durability)
                if accepted(batch, receipt, isWhole: isWhole) { return (receipt, refused) }
            } catch {
                refusals += 1
                guard error.code == .unsupportedValue, refusals <= Self.refusalLimit else { throw error }
                while let key = largest.first, pending.values[key] == nil { largest.removeFirst() }
                // Values around another one become candidates only once the inner one has been set aside.
                if largest.isEmpty { largest = pending.largest(Self.refusalLimit)[...] }
                let issue = largest.popFirst().flatMap {
                    setAside($0, for: error, of: group, upTo: revision, changedAt: oldest ?? time.now())
                }
                guard let issue else { throw error }
                refused = refused ?? issue
            }
        }
    }

    /// Whether the storage has accepted everything that was collected.
    var hasAppendedEverything: Bool {
        pending.isEmpty && !pending.isRetry && pending.unresolved == nil && !mustRepeat
    }

    /// Makes stable what has been appended, by a batch without values. Requires that nothing else is to be appended.
    ///
    /// - Parameters:
    ///   - hasCommits: Whether commits wait for it.
    ///   - reads: The keys that these have read, if the storage compares them.
    func synchronize(hasCommits: Bool, reading reads: Set<SettingKey>?) async throws(StorageError) {
        var batch = StorageBatch(id: pending.nextID(), revision: lastHandedOver, values: [:])
        (batch.hasCommits, batch.reads) = (hasCommits, reads)
        let receipt = try await appendRepeatedly(batch, .synced)
        external.appended(receipt)
    }

    private func nextBatch(_ revision: UInt64, for group: CommitGroup) -> (batch: StorageBatch, isWhole: Bool) {
        var (batch, isWhole) = pending.nextBatch(
            revision, after: lastHandedOver, limits: limits,
            conditions: isolation.conditions + external.migrations.conditions + group.conditions,
            with: external.unmerged)
        // A batch without values can only conflict by having read outdated values.
        if batch.values.isEmpty { batch.conditions = isolation.mayConflict ? isolation.conditions : [] }
        if isWhole { history.list(upTo: revision, in: &batch, for: recordReason) }
        external.migrations.complete(&batch)
        batch.isPart = !isWhole
        batch.hasCommits = group.hasCommits
        // What the commits have read whose values are tried again is not known any more.
        if limits.comparesReads, !pending.isRetry { batch.reads = group.reads }
        return (batch, isWhole)
    }

    /// Repeats the append of the batch whose answer was lost. Only the storage knows whether it was stored.
    private func resolve(_ durability: StorageDurability) async throws(StorageError) {
        guard let batch = pending.unresolved else { return }
        // The batch has conditions of its own: only then do the closures know everything before it.
        let isRead = isolation == .position(external.position)
        do {
            let receipt = try await appendOnce(batch, durability)
            if isRead, !receipt.hasExternalChanges { isolation = .position(receipt.position) }
            history.didList(batch, at: receipt.token)
            external.appended(receipt)
        } catch {
            let isKnownNotToBeStored = error.code == .conflict || error.code == .leaseLost
            guard isKnownNotToBeStored else {
                // The group's commits wait behind it, and are not undone.
                var unknown = error
                unknown.isOutcomeUnknown = true
                throw unknown
            }
            pending.unresolved = nil
            guard batch.hasCommits else { return }
            // The commits have read outdated values, and others may have read their results. All of them run again, or
            // are given up.
            pending.contestCommits()
            throw .others
        }
        pending.unresolved = nil
        didStore(partOf: batch)
    }

    private func appendOnce(
        _ batch: StorageBatch, _ durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        guard limits.time != nil else { return try await storage.append(batch, durability: durability) }
        return try await limits.call(time) { [storage] () throws(StorageError) in
            try await storage.append(batch, durability: durability)
        }
    }

    /// Appends a batch, and repeats it if the answer was lost: the storage recognizes it by its identity and does not
    /// store it twice.
    private func appendRepeatedly(
        _ batch: StorageBatch, _ durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        do {
            return try await appendOnce(batch, durability)
        } catch {
            guard error.isOutcomeUnknown else { throw error }
            do {
                return try await appendOnce(batch, durability)
            } catch {
                // Only these errors mean that neither attempt has stored anything: a repetition that did not arrive
                // proves nothing about the first attempt.
                guard error.code != .conflict, error.code != .leaseLost else { throw error }
                if !batch.values.isEmpty { pending.unresolved = batch }
                var unknown = error
                unknown.isOutcomeUnknown = true
                throw unknown
            }
        }
    }

    // MARK: Stored

    /// Records that the storage has stored a batch.
    ///
    /// - Returns: False if there is more to be saved.
    private func accepted(_ batch: StorageBatch, _ receipt: StorageReceipt, isWhole: Bool) -> Bool {
        // Others have stored nothing between what the closures have read and this batch, nor after it, before the
        // storage has answered.
        if isolation.mayConflict, !batch.values.isEmpty, !receipt.hasExternalChanges {
            isolation = .position(receipt.position)
        }
        guard isWhole else {
            if !receipt.hasExternalChanges { external.position = receipt.position }
            didStore(partOf: batch)
            return false
        }
        external.overwrite(by: batch)
        external.migrations.didStore(batch)
        if !batch.values.isEmpty { history.didList(batch, at: receipt.token) }
        external.appended(receipt)
        lastHandedOver = batch.revision
        recordReason = nil
        mustRepeat = false
        let unencodable = log.lock.withLock { log.unsaved.unencodable.map(\.slot.key) }
        log.markHandedOver(pending.didStoreAll(batch, unencodable: unencodable))
        return true
    }

    /// Records that a batch with some of the values has been stored: from now on what others store at their keys
    /// counts.
    private func didStore(partOf batch: StorageBatch) {
        lastHandedOver = max(lastHandedOver, batch.revision)
        external.overwrite(by: batch)
        external.migrations.didStore(batch)
        log.handOver(pending.didStore(partOf: batch))
    }

    // MARK: External changes

    /// Records what others have stored, as the storage has returned it.
    func fetched(_ found: StorageChanges) {
        var changes = external.fetched(found)
        let own = resolve(by: &changes)
        compareWithFailedSaves(own.map { own in changes.filter { $0.batch != own } } ?? changes)
        external.add(changes)
        adoptUnconfirmed()
    }

    /// Checks whether the batch whose answer was lost has turned out to be stored.
    ///
    /// - Returns: The batch, if it was stored.
    private func resolve(by changes: inout [ExternalChange]) -> StorageBatch.ID? {
        guard let batch = pending.unresolved, let index = changes.firstIndex(where: { $0.batch == batch.id }) else {
            return nil
        }
        history.didList(batch, at: changes[index].token)
        pending.unresolved = nil
        // Changes that others have stored before it are not newer than later writes either.
        for earlier in changes[..<index].indices { changes[earlier].overwrite(batch.values) }
        didStore(partOf: batch)
        return batch.id
    }

    /// Whether the store has something to merge.
    var hasUnmerged: Bool { !external.unmerged.isEmpty || pending.hasRestored }

    /// Publishes external changes, oldest first. Requires the writer lock.
    ///
    /// A store that is closing merges nothing; the changes stay here in case closing fails.
    func merge(into store: Engine) {
        guard store.mode != .closed else { return }
        let restored = pending.takeRestored()
        if !restored.isEmpty { store.merge(ExternalChange(.values(restored)), keeping: [:]) }
        for change in external.takeUnmerged() {
            pending.merge(change)
            external.merging(change)
            let before = log.lock.withLock { log.changes.revision }
            store.merge(change, keeping: pending.values)
            guard let token = change.token else { continue }
            // It is the last transaction, if it has changed anything.
            log.lock.withLock { log.changes.place(after: before, at: token) }
        }
        external.publishToken()
        let refusal = external.migrations.refusal
        if (refusal == nil) != (store.refusal == nil) { store.refuseWrites(refusal.map { .storage($0) }) }
    }
}
