/// Brings the storage to rest, and keeps account of what is safe.
extension Persister {
    /// - Returns: Whether the storage is at rest.
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
        var (tree, revision) = (stored, log.lock.withLock { log.unsaved.lastCollected })
        migrations.record.put(into: &tree)
        log.lock.withLock { log.unsaved.begin() }
        let isAtRest: Bool
        do {
            let hasNothingToDo = checkpointing == nil && !hasUnsynced
            isAtRest = hasNothingToDo ? true : try await storage.bringToRest(tree, for: reason)
            let now = time.elapsed()
            synced(revision, waiting, now: now)
            machine.checkpointed(reason, isAtRest: isAtRest, now: now)
            if isAtRest { log.lock.withLock { log.unsaved.catchUp() } } else if reason == .resting { reportBehind() }
            if reason == .erasing { beginFeedAnew() }
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

    func synced(_ revision: UInt64, _ waiting: [PersisterStateMachine.Waiting], now: Duration) {
        hasUnsynced = false
        machine.synced(waiting, now: now)
        log.saveSucceeded(revision).resumeTasks(of: log)
    }

    /// The storage was idle, and still the readable file could not be written: not an I/O error, but what stands in its
    /// place.
    private func reportBehind() {
        let reason = lastUnusable ?? StorageError(.writeFailed, "Another process keeps changing what is stored.")
        log.checkpointFailed(.storage(reason), at: time.now(), hasFailed: false)
    }

    func failed(_ error: StorageError) -> SettingsError {
        let issue = SettingsError.storage(error)
        log.saveFailed(issue, at: time.now())
        if error.code == .migrated {
            // It stays so, however often saving is tried.
            guard !migrations.isReported else { return issue }
            migrations.isReported = true
        }
        report(issue)
        return issue
    }
}
