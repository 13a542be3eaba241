/// Merges what others have stored.
extension Persister {
    /// Starts to follow external changes on behalf of a store.
    nonisolated func follow(for store: Engine) {
        enqueue { [weak store] persister in
            persister.store = store
            persister.shared?.watch { [weak persister] event in persister?.handle(event) }
            persister.reportRefusal()
            if !persister.isAtRest { persister.openedUnsettled() }
            await persister.deliver()
        }
    }

    /// Tells the storage which values are in force although what is stored can't be used. A failure is ignored: until
    /// the next launch nothing depends on it, and then an earlier value may be used instead.
    nonisolated func keep(_ values: [SettingKey: SettingValue?]) {
        guard !values.isEmpty else { return }
        enqueue { persister in
            guard !persister.isClosed else { return }
            try? await persister.checkpointing?.keep(values)
        }
    }

    /// Makes everything saved from now on readable by the user alone, because a group with secrets has been opened.
    nonisolated func keepPrivate() {
        enqueue { $0.checkpointing?.keepPrivate() }
    }

    /// Called by the storage, on any thread. Returns immediately.
    private nonisolated func handle(_ event: StorageEvent) {
        switch event {
        case .mayHaveChanged, .available: fetchAndDeliver()
        case .unavailable(let error): enqueue { $0.reportOnce(error) }
        case .leaseLost(let lease): enqueue { $0.lost(lease) }
        case .issue(let error): report(.storage(error))
        }
    }

    /// Fetches external changes, and publishes them.
    nonisolated func fetchAndDeliver() {
        enqueue { persister in
            await persister.deliver()
            if !persister.isClosed { persister.storageSignalled() }
        }
    }

    /// Publishes external changes to the store. While a writer holds the writer lock, delivery is deferred rather than
    /// blocking the queue, so that a flush can run meanwhile.
    func deliver() async {
        guard !isClosed else { return }
        do {
            try await fetchExternalChanges()
            lastExternalError = nil
        } catch {
            // Nothing is lost: the storage reports the changes on the next call, which follows after a back-off.
            reportOnce(error)
        }
        deliverFetched()
        await tellFollowers()
    }

    /// Reports an error, unless it is the last one again: retries may be frequent.
    func reportOnce(_ error: StorageError) {
        if error != lastExternalError { report(.storage(error)) }
        lastExternalError = error
    }

    /// Publishes changes that have already been fetched or given up.
    func deliverFetched() {
        guard !undelivered.isEmpty || backlog.hasRestored else { return }
        if !tryToDeliver(), let store { awaitTurn(of: store.writer) }
        changedOutside()
    }

    func fetchExternalChanges() async throws(StorageError) {
        guard let shared else { return }
        let found: StorageChanges
        do {
            found = try await call { [position] () throws(StorageError) in try await shared.changes(after: position) }
        } catch {
            fetchEnded(hasFailed: true)
            throw error
        }
        position = found.position
        mustFetch = false
        fetchEnded(hasFailed: false)
        var changes = found.changes
        for index in changes.indices { changes[index].isMigration = migrations.record.take(from: &changes[index]) }
        reportRefusal()
        for case .unusable(let error) in changes.map(\.content) { lastUnusable = error }
        resolve(by: &changes)
        compareWithFailedSaves(changes)
        undelivered += changes
        settlePlace()
        isFeedBehind = true
    }

    /// A newer program has migrated what is stored: from now on nothing is saved.
    func reportRefusal() {
        guard let refusal = migrations.refusal, !migrations.isReported else { return }
        migrations.isReported = true
        report(.storage(refusal))
    }

    /// All stored values as far as the storage has reported them: without unsaved values, with changes that the store
    /// has not merged yet.
    var stored: SettingTree {
        var tree = mergedTree
        undelivered.apply(to: &tree)
        return tree
    }

    /// As ``stored``, without the changes that the store has not merged yet.
    var mergedTree: SettingTree {
        var tree = log.lock.withLock { log.stored.tree }
        backlog.removeUnsaved(from: &tree)
        return tree
    }

    /// - Returns: False if a writer has held the writer lock for longer than `limit`.
    func tryToDeliver(within limit: Duration = .zero) -> Bool {
        guard !undelivered.isEmpty || backlog.hasRestored, let store, !isClosed else { return true }
        guard limit > .zero ? store.writer.tryLock(within: limit) : store.writer.tryLock() else { return false }
        defer { store.writer.unlock() }
        mergeUndelivered()
        return true
    }

    /// Publishes external changes, oldest first. Requires the writer lock.
    ///
    /// A store that is closing merges nothing; the changes are kept in case closing fails.
    func mergeUndelivered() {
        guard let store, store.mode != .closed else { return }
        let restored = backlog.takeRestored()
        if !restored.isEmpty { store.merge(ExternalChange(.values(restored)), keeping: [:]) }
        let changes = undelivered
        undelivered = []
        for change in changes {
            backlog.merge(change)
            merged(change)
            let before = log.lock.withLock { log.changes.revision }
            store.merge(change, keeping: backlog.values)
            guard let token = change.token else { continue }
            // It is the last transaction, if it has changed anything.
            log.lock.withLock { log.changes.place(after: before, at: token) }
        }
        settlePlace()
        let refusal = migrations.refusal
        if (refusal == nil) != (store.refusal == nil) { store.refuseWrites(refusal.map { .storage($0) }) }
    }
}
