/// Appending, and its consequences.
extension Persister {
    /// What an append has handed to the storage.
    struct Appended {
        /// The newest revision in it.
        var revision: UInt64
        /// The changes that were not on stable storage before.
        var waiting: [PersisterStateMachine.Waiting]
        /// Whether the storage has reported that everything is on stable storage.
        var isSynced: Bool
    }

    /// Appends everything that the storage has not accepted yet, and syncs if `durability` asks for it.
    ///
    /// - Parameters:
    ///   - retryingEncoding: Whether to retry values that could not be encoded before.
    ///   - verifying: Whether to call the storage even if nothing is left to append, because a caller relies on its
    ///     answer.
    /// - Throws: What the storage throws, or else the first error of a value that can't be encoded.
    @discardableResult
    func append(
        _ durability: StorageDurability, retryingEncoding: Bool, verifying: Bool = false
    ) async throws -> Appended {
        guard writer.pending.isRetry, writer.isolation == .none else {
            return try await appendNow(durability, retryingEncoding: retryingEncoding, verifying: verifying)
        }
        // Since the failed append, others may have stored newer values: merge them first, and exclude appends between
        // them and the next attempt.
        do throws(StorageError) {
            try await isolate()
        } catch {
            throw appendFailed(error)
        }
        return try await appendIsolated(durability, retryingEncoding: retryingEncoding, verifying: verifying)
    }

    /// Appends what was written while others were excluded, then lets them continue.
    ///
    /// - Returns: `nil` if others are not excluded, or if a transaction on its caller's actor still needs that.
    @discardableResult
    func saveIsolated() async throws -> Appended? {
        guard writer.isolation != .none, group.visitors.isEmpty else { return nil }
        // A lock is released before the sync, which others need not wait for.
        // Without a lock, others may have stored something that a commit has not read, even one that changes nothing.
        return try await appendIsolated(
            writer.isolation.holdsOthersUp ? .buffered : .synced, retryingEncoding: true,
            verifying: writer.isolation.mayConflict && group.hasCommits)
    }

    private func appendIsolated(
        _ durability: StorageDurability, retryingEncoding: Bool, verifying: Bool
    ) async throws -> Appended {
        do {
            let appended = try await appendNow(durability, retryingEncoding: retryingEncoding, verifying: verifying)
            await endIsolation()
            return appended
        } catch {
            await endIsolation()
            throw error
        }
    }

    /// Appends all pending values. They are measured before they are collected: a change that comes in between waits
    /// for the next sync, and must not count as saved by this one. Otherwise its caller would find it missing after a
    /// crash.
    ///
    /// - Precondition: If an append has failed before, others are excluded and their changes have been fetched.
    private func appendNow(
        _ durability: StorageDurability, retryingEncoding: Bool, verifying: Bool
    ) async throws -> Appended {
        let waiting = log.measureWaits(time).waiting
        let oldest = log.lock.withLock { log.unsaved.oldest }
        var (revision, encodingError) = collect(retryingEncoding: retryingEncoding)
        if writer.pending.isRetry {
            if let conflict = writer.conflict(of: group) {
                writer.leaveUnresolved()
                throw appendFailed(conflict)
            }
            giveUpContested()
        }
        var isSynced = false
        if !writer.pending.isEmpty || writer.mustRepeat || verifying || (durability == .synced && writer.hasUnsynced) {
            if durability == .synced { log.lock.withLock { log.unsaved.begin() } }
            do throws(StorageError) {
                let (receipt, refused) = try await appendPending(revision, durability, changedAt: oldest)
                encodingError = encodingError ?? refused
                isSynced = receipt.durability == .synced
                if !isSynced { writer.hasUnsynced = true }
            } catch {
                throw appendFailed(error)
            }
            history.isFeedBehind = true
        }
        let appended = Appended(revision: revision, waiting: waiting, isSynced: isSynced)
        await succeeded(appended, isStable: isSynced || durability == .synced)
        if let encodingError { throw encodingError }
        return appended
    }

    private func collect(retryingEncoding: Bool) -> (revision: UInt64, encodingError: SettingsError?) {
        let collected = writer.collect(retryingEncoding: retryingEncoding)
        if !group.hasCommits, group.visitors.isEmpty { writer.pending.joinTransactions(within: limits) }
        return collected
    }

    /// Makes stable what has just been appended, and does not include what was written since.
    ///
    /// - Precondition: The storage has everything that was collected.
    func synchronize(_ appended: Appended) async throws {
        log.lock.withLock { log.unsaved.begin() }
        do throws(StorageError) {
            try await writer.synchronize(
                hasCommits: group.hasCommits, reading: limits.comparesReads ? group.reads : nil)
        } catch {
            throw appendFailed(error)
        }
        history.isFeedBehind = true
        await succeeded(appended, isStable: true)
    }

    private func succeeded(_ appended: Appended, isStable: Bool) async {
        let now = time.elapsed()
        machine.appended(now: now)
        if isStable { synced(appended.revision, appended.waiting, now: now) }
        if writer.external.mustFetch { await deliver() } else { deliverFetched() }
        await updateFeed()
    }

    /// Appends the pending values. It does so again if that was refused because others were faster, and only commits of
    /// earlier groups depend on it: these are given up.
    private func appendPending(
        _ revision: UInt64, _ durability: StorageDurability, changedAt oldest: Double?
    ) async throws(StorageError) -> (receipt: StorageReceipt, refused: SettingsError?) {
        do {
            return try await writer.append(revision, durability, for: group, changedAt: oldest)
        } catch {
            guard error.code == .conflict, writer.isolation.mayConflict, group.visitors.isEmpty, !group.hasCommits,
                writer.pending.unresolved == nil
            else { throw error }
        }
        try await fetchExternalChanges()
        writer.isolation = .position(writer.external.position)
        giveUpContested()
        return try await writer.append(revision, durability, for: group, changedAt: oldest)
    }

    private func appendFailed(_ failure: StorageError) -> SettingsError {
        var error = failure
        if group.mayBeStored(upTo: writer.pending.unknownRevision) { error.isOutcomeUnknown = true }
        if error.code == .migrated { writer.external.mustFetch = true }
        if error.code == .conflict {
            writer.external.mustFetch = true
            // No failure: the commits run again.
            if group.hasCommits || !group.visitors.isEmpty { return .storage(error) }
        }
        writer.mustRepeat = true
        writer.pending.appendFailed()
        machine.failed(now: time.elapsed())
        let issue = failed(error)
        // The values restored in place of those given up are in force now, even if the next append is far away.
        deliverFetched()
        return issue
    }

    func giveUpContested() {
        if let loss = writer.giveUpContested() { group.lost(loss) }
    }

    /// Lets the storage preserve the pending values until the next attempt.
    func preserve() async {
        machine.preserved(now: time.elapsed())
        // Commits are appended very soon.
        guard !group.hasCommits else { return }
        let (revision, _) = collect(retryingEncoding: false)
        await storage.preserve(writer.pending.waiting(revision, with: writer.external.unmerged))
    }

    // MARK: Checkpoints

    /// Makes a checkpoint.
    ///
    /// Pending changes are measured after the append and before the checkpoint, which takes time: changes written
    /// meanwhile must not count as saved.
    ///
    /// - Returns: Whether the storage's readable form is complete.
    @discardableResult
    func checkpoint(for reason: CheckpointReason) async throws -> Bool {
        var encodingError: (any Error)?
        do {
            try await append(.buffered, retryingEncoding: true)
        } catch let error as SettingsError where error.code == .encodingFailed {
            encodingError = error
        }
        let waiting = log.measureWaits(time).waiting
        // Only this queue takes values, so tree and revision belong to the same moment.
        var (tree, revision) = (writer.stored, log.lock.withLock { log.unsaved.lastCollected })
        migrations.record.put(into: &tree)
        log.lock.withLock { log.unsaved.begin() }
        let isAtRest: Bool
        do {
            let hasNothingToDo = checkpointing == nil && !writer.hasUnsynced
            isAtRest = hasNothingToDo ? true : try await storage.bringToRest(tree, for: reason)
            let now = time.elapsed()
            synced(revision, waiting, now: now)
            machine.checkpointed(reason, isAtRest: isAtRest, now: now)
            if isAtRest { log.lock.withLock { log.unsaved.catchUp() } } else if reason == .resting { reportBehind() }
            if reason == .erasing { history.restartFeed() }
        } catch {
            machine.checkpointFailed(reason, leaves: waiting, now: time.elapsed())
            let issue = failed(error)
            log.checkpointFailed(issue, at: time.now())
            throw issue
        }
        await deliver()
        if let encodingError { throw encodingError }
        return isAtRest
    }

    var isAtRest: Bool { checkpointing?.isAtRest ?? true }

    private func synced(_ revision: UInt64, _ waiting: [PersisterStateMachine.Waiting], now: Duration) {
        writer.hasUnsynced = false
        saveErrors.succeeded()
        machine.synced(waiting, now: now)
        log.saveSucceeded(revision).resumeTasks(of: log)
    }

    /// Reports that the readable file could not be written although the storage was idle: not an I/O error, but another
    /// file in its place.
    private func reportBehind() {
        let reason =
            writer.external.lastUnusable
            ?? StorageError(.writeFailed, "Another process keeps changing the stored values.")
        log.checkpointFailed(.storage(reason), at: time.now(), hasFailed: false)
    }

    private func failed(_ error: StorageError) -> SettingsError {
        let issue = SettingsError.storage(error)
        log.saveFailed(issue, at: time.now())
        if error.code == .migrated {
            // It stays so, however often saving is retried.
            reportRefusal(error)
        } else {
            saveErrors.report(error)
        }
        return issue
    }
}
