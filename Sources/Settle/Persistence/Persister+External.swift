/// What others have stored.
extension Persister {
    /// Begins to follow what others change, for a store that takes it in.
    nonisolated func follow(for store: StoreCore) {
        enqueue { [weak store] persister in
            persister.store = store
            persister.storage.watch { [weak persister] in persister?.storageChanged() }
            if !persister.storage.isAtRest { persister.noteUnsettled() }
            persister.deliver()
        }
    }

    /// Says which values are in force beside what is stored, because that can't be used. Without the storage's word a restart may
    /// find an earlier value: nothing depends on it until then, so a failure is no one's concern.
    nonisolated func keep(_ values: [SettingKey: SettingValue?]) {
        guard !values.isEmpty else { return }
        enqueue { persister in
            guard !persister.isClosed else { return }
            try? persister.storage.keep(values)
        }
    }

    /// A group with secrets has been opened: what is saved from now on is for the user alone.
    nonisolated func keepPrivate() {
        enqueue { $0.storage.keepPrivate() }
    }

    /// The storage may have something new. Called on any thread, and quick.
    nonisolated func storageChanged() {
        enqueue { persister in
            persister.deliver()
            if !persister.isClosed { persister.noteStorageSpoke() }
        }
    }

    /// Has the store take in what others have stored. If a writer is at work, that waits for its end, so that a flush gets in
    /// meanwhile.
    func deliver() {
        guard !isClosed else { return }
        do {
            try fetchExternalChanges()
            lastExternalError = nil
        } catch {
            // Nothing is forgotten: the next call tells, which comes with a back-off. Said once, because that may be soon.
            if error != lastExternalError { report(.storage(error)) }
            lastExternalError = error
        }
        deliverFetched()
    }

    /// The same with what has been fetched already, or given up.
    func deliverFetched() {
        guard !undelivered.isEmpty else { return }
        noteOutside()
        if !tryToDeliver(), let store { awaitTurn(of: store.writer) }
    }

    func fetchExternalChanges() throws(StorageError) {
        let changes: [ExternalChange]
        do {
            changes = try storage.externalChanges(since: { stored })
        } catch {
            noteLook(hasFailed: true)
            throw error
        }
        noteLook(hasFailed: false)
        for case .unusable(let error) in changes.map(\.content) { lastUnusable = error }
        noteForFailedSaves(changes)
        undelivered += changes
    }

    /// Everything that is stored, as far as the storage has told: without what it has not taken, and with what the store could
    /// not take in yet.
    var stored: SettingTree {
        var tree = takenIn
        undelivered.apply(to: &tree)
        return tree
    }

    /// The same without what the store could not take in yet.
    var takenIn: SettingTree {
        var tree = log.lock.withLock { log.tree }
        // To remove what is not there would take an empty dictionary away.
        for key in unsaved.keys.sorted() where tree[key] != replaced[key] { tree[key] = replaced[key] }
        return tree
    }

    /// What an append replaces now.
    var storedUnderUnsaved: [SettingKey: SettingValue] {
        undelivered.values(at: unsaved.keys, over: replaced)
    }

    /// False if a writer is at work, for longer than a limit.
    func tryToDeliver(within limit: Duration = .zero) -> Bool {
        guard !undelivered.isEmpty, let store, !isClosed else { return true }
        guard limit > .zero ? store.writer.tryLock(within: limit) : store.writer.tryLock() else { return false }
        defer { store.writer.unlock() }
        takeInUndelivered()
        return true
    }

    /// Publishes what others have stored, oldest first. Under the writer's lock.
    ///
    /// A store that is being closed takes in nothing. It is kept for the case that closing fails.
    func takeInUndelivered() {
        guard !undelivered.isEmpty, let store, store.mode != .closed else { return }
        let changes = undelivered
        undelivered = []
        for change in changes {
            // What is stored there now is what a later append replaces, whether it looks like a change from here or not.
            replaced = change.values(at: unsaved.keys, over: replaced)
            store.takeIn(change, keeping: unsaved)
        }
    }
}
