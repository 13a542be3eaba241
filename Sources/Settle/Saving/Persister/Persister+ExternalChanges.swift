import Synchronization

/// Fetches and merges the changes of others, and excludes others while a transaction runs.
extension Persister {
    /// Starts to follow external changes on behalf of a store.
    nonisolated func follow(for store: Engine) {
        enqueue { [weak store] persister in
            persister.store = store
            persister.shared?.watch { [weak persister] event in persister?.handle(event) }
            persister.reportRefusal(persister.migrations.refusal)
            if !persister.isAtRest {
                // A process was killed before writing it.
                persister.machine.openedUnsettled(now: persister.time.elapsed())
                persister.waitForNext()
            }
            // Changes between the load and the watch.
            await persister.deliver()
        }
    }

    /// Passes the storage the values that are in force although the stored ones can't be used. A failure is ignored:
    /// nothing depends on it until the next launch, and then an earlier value may be used instead.
    nonisolated func keep(_ values: [SettingKey: SettingValue?]) {
        // Nearly always there is nothing to preserve, and nothing that the storage could give up.
        let isNeeded =
            values.contains { $0.value != nil } || file?.hasLastGoodValues != false
            || waitingKeeps.load(ordering: .acquiring) > 0
        guard isNeeded, !values.isEmpty else { return }
        waitingKeeps.add(1, ordering: .acquiringAndReleasing)
        enqueue { persister in
            defer { persister.waitingKeeps.subtract(1, ordering: .acquiringAndReleasing) }
            guard !persister.isClosed else { return }
            try? await persister.checkpointing?.keep(values)
        }
    }

    /// Makes everything saved from now on readable by the user alone, because a group with secrets has been opened.
    nonisolated func keepPrivate() {
        enqueue { $0.checkpointing?.keepPrivate() }
    }

    /// Makes the storage keep state apart from other values, because a group with these settings has been opened.
    nonisolated func keepApart(state: [SettingKey], from others: [SettingKey]) {
        enqueue { $0.checkpointing?.keepApart(state: Set(state), from: Set(others)) }
    }

    /// Called by the storage, on any thread. Returns immediately.
    private nonisolated func handle(_ event: StorageEvent) {
        switch event {
        case .mayHaveChanged:
            // The watch's own thread publishes what it has read already: nothing makes it wait.
            fetchAndDeliver(isHere: SystemFileWatching.isCurrent && file != nil)
        // Behind the errors of earlier events: the first success after them lets the next error be reported.
        case .available: enqueue { await $0.deliverSignalled(isHere: false) }
        case .unavailable(let error): enqueue { $0.errors.report(error) }
        case .leaseLost(let lease): enqueue { await $0.locks.lost(lease) }
        case .issue(let error): report(.storage(error))
        }
    }

    /// Fetches external changes, and publishes them.
    ///
    /// - Parameter isHere: Whether it may be done on the calling thread, if the queue is idle.
    nonisolated func fetchAndDeliver(isHere: Bool = false) {
        enqueue(.delivery(isHere: isHere), isHere: isHere)
    }

    /// Fetches and publishes them, because the storage has signalled.
    func deliverSignalled(isHere: Bool) async {
        await deliver(isHere: isHere)
        // The storage's own saves signal too, so most signals change nothing.
        if !isClosed, machine.storageSignalled(now: time.elapsed()) { waitForNext() }
    }

    /// Publishes external changes to the store. While a writer holds the writer lock, delivery is deferred rather than
    /// blocking the queue, so that a flush can run meanwhile.
    ///
    /// - Parameter isHere: Whether the feed may be filled during a visit; see ``deliverAtOnce(from:)``.
    func deliver(isHere: Bool = false) async {
        guard !isClosed else { return }
        do {
            try await fetchExternalChanges()
            errors.succeeded()
        } catch {
            // Nothing is lost: the storage reports the changes on the next call, which follows after a back-off.
            errors.report(error)
        }
        if !mergesOnlyPlainValues { await executor.endVisit() }
        if isHere, executor.isVisited, log.isHistoryFollowed, let file {
            deliverAtOnce(from: file)
        } else {
            deliverFetched()
        }
        await updateFeed()
    }

    /// Publishes external changes during a visit, and adds them to the feed if nothing has to be read. A follower of
    /// the history then waits for no other thread, and one that also follows the values is woken once for both.
    private func deliverAtOnce(from file: FileStorage) {
        log.wakingOnce {
            deliverFetched()
            guard mustUpdateFeed, history.fillFeedAtOnce(from: file) else { return }
            history.isFeedBehind = false
            retryHistory()
        }
    }

    /// Whether merging runs none of the program's code, which might block.
    private var mergesOnlyPlainValues: Bool {
        guard !writer.pending.hasRestored, writer.external.unmerged.count <= 8 else { return false }
        return writer.external.unmerged.allSatisfy { change in
            guard case .values(let values) = change.content, values.count <= 8, !change.isMigration else {
                return false
            }
            return log.lock.withLock {
                values.keys.allSatisfy { log.stored.slots.overlapping($0).allSatisfy { $0.box?.isPlain == true } }
            }
        }
    }

    /// Merges what others have stored until now, and returns once it is in force, which a long write of this process
    /// may delay.
    ///
    /// - Throws: ``SettingsError`` if the storage can't be asked, or the store is closed. `CancellationError` if the task
    ///   is cancelled before that.
    nonisolated func catchUp() async throws {
        guard shared != nil else { return }
        try await perform { persister in
            guard !persister.isClosed else { throw SettingsError.closed(key: nil) }
            do throws(StorageError) {
                try await persister.fetchExternalChanges()
            } catch {
                throw SettingsError.storage(error)
            }
            persister.deliverFetched()
            await persister.updateFeed()
        }
        // A separate piece of work: a writer that is at work may wait for the queue.
        try await SaveRequest(.save, in: nil).wait { request in enqueue { $0.endAfterDelivery(request) } }
    }

    /// Ends a request once all changes that were fetched are in force.
    private func endAfterDelivery(_ request: SaveRequest) {
        guard !tryToDeliver(), let store else {
            request.end(.success(()))
            return
        }
        transactions.deliveries.removeAll(where: \.hasEnded)
        transactions.deliveries.append(request)
        awaitHandOff(of: store.writer)
    }

    /// Publishes changes that have already been fetched or given up.
    func deliverFetched() {
        guard writer.hasUnmerged else { return }
        if !tryToDeliver(), let store { awaitHandOff(of: store.writer) }
        machine.changedOutside(isAtRest: isAtRest, now: time.elapsed())
        waitForNext()
    }

    func fetchExternalChanges() async throws(StorageError) {
        guard let shared else { return }
        let found: StorageChanges
        // Read before the storage is asked: it reports everything up to there.
        let token = history.token
        do {
            found = try await changes(in: shared, after: writer.external.position)
        } catch {
            machine.fetchFailed(now: time.elapsed())
            waitForNext()
            throw error
        }
        let unconfirmed = log.lock.withLock { log.unconfirmed.current }
        writer.fetched(found)
        // Its history may just have begun, by a repair that has stored nothing.
        if writer.external.newestToken == nil { writer.external.appended(at: token) }
        history.isFeedBehind = true
        reportRefusal(migrations.refusal)
        if log.lock.withLock({ log.unconfirmed.current }) != unconfirmed { waitForNext() }
        guard machine.outside != .current else { return }
        machine.fetched(now: time.elapsed())
        waitForNext()
    }

    /// Makes a call that may have no time limit, like the two below, without a closure: that would leave the queue for
    /// it and return.
    private func changes(
        in shared: any SharedStorage, after position: StoragePosition
    ) async throws(StorageError) -> StorageChanges {
        if executor.isVisited {
            if let changes = file?.changesAtOnce() { return changes }
            await executor.endVisit()
        }
        guard limits.time != nil else { return try await shared.changes(after: position) }
        return try await limits.call(time) { () throws(StorageError) in try await shared.changes(after: position) }
    }

    private func lockForTransaction(in shared: any SharedStorage) async throws(StorageError) -> StorageLease? {
        guard limits.time != nil else { return try await shared.lockForTransaction() }
        return try await limits.call(time) { () throws(StorageError) in try await shared.lockForTransaction() }
    }

    /// Reports that a newer program has migrated the stored values, once: from now on nothing is saved.
    func reportRefusal(_ refusal: StorageError?) {
        guard let refusal, !migrations.isReported else { return }
        writer.external.migrations.isReported = true
        report(.storage(refusal))
    }

    /// - Returns: False if a writer has held the writer lock for longer than `limit`.
    func tryToDeliver(within limit: Duration = .zero) -> Bool {
        guard writer.hasUnmerged, let store, !isClosed else { return true }
        guard limit > .zero ? store.writer.tryLock(within: limit) : store.writer.tryLock() else { return false }
        defer { store.writer.unlock() }
        writer.merge(into: store)
        return true
    }

    // MARK: Isolation

    /// Excludes others, and fetches what they have changed until now.
    func isolate() async throws(StorageError) {
        guard let shared else { return writer.isolation = .unshared }
        guard let lease = try await lockForTransaction(in: shared) else {
            // Without a lock nothing shows how far others are. What others have stored decides about failed values.
            if writer.external.mustFetch || writer.pending.isRetry { try await fetchExternalChanges() }
            return writer.isolation = .position(writer.external.position)
        }
        writer.isolation = .lock(lease)
        lockTime = time.elapsed()
        guard lease.position != writer.external.position || writer.external.mustFetch else { return }
        do throws(StorageError) {
            try await fetchExternalChanges()
        } catch {
            await endIsolation()
            throw error
        }
    }

    /// Excludes others, if that takes only a few calls that do not wait, and no transaction of theirs or of this store
    /// comes before the next one.
    func isolateAtOnce() -> Bool {
        guard let file, writer.isolation == .none, group.isEmpty, group.visitors.isEmpty,
            !transactions.needsPreparation, !writer.pending.isRetry, writer.external.isMerged, !writer.hasUnmerged,
            migrations.refusal == nil, !log.lock.withLock({ log.unsaved.hasUnaccepted }),
            // A task may begin in the middle of an update.
            store?.writer.isHeldByCurrentThread == false, !RunningUpdates.isRunning,
            let lease = file.lockAtOnce(at: writer.external.position)
        else { return false }
        writer.isolation = .lock(lease)
        lockTime = time.elapsed()
        return true
    }

    /// Lets others append again.
    func endIsolation() async {
        let ended = writer.isolation
        // There are no changes of others between what is merged and the end of the history.
        if case .lock = ended, writer.external.isMerged { writer.external.appended(at: history.token) }
        writer.isolation = .none
        if case .lock(let lease) = ended { await shared?.unlock(lease) }
        resumeOwedAction()
    }
}
