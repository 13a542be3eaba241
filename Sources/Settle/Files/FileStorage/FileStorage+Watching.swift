import Synchronization

/// Following what others write to the files.
extension FileStorage {
    public func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        guard let watching else { return }
        handler.withLock { $0 = handle }
        let places = withLock { $0.place.watchedNames }
        let watch = watching.watch(places) { [weak self] events in self?.didWatch(events) }
        self.watch.withLock { $0 = watch }
    }

    private func signal() { handler.withLock { $0 }?(.mayHaveChanged) }

    /// Handles external events. On the queue of the watches.
    private func didWatch(_ events: FileEvents) {
        guard events.contains(.replaced) || events.contains(.places) else {
            hasUnseenWrites.store(true, ordering: .sequentiallyConsistent)
            return lookForNews()
        }
        // The next call looks the folders up: other machines may not answer, and this queue serves all stores.
        if events.contains(.places) { mustUpdateWatch.store(true, ordering: .releasing) }
        addPendingChecks(.everything)
        signal()
    }

    /// Reads a few records that others have appended to the journal, if it has been written to. While a call is at work,
    /// that call does this at its end: most writes are its own, and need not wake anybody.
    private func lookForNews() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        while hasUnseenWrites.load(ordering: .sequentiallyConsistent) {
            let hasNews = session.withLockIfAvailable { session in
                // Before the journal is read, so that later events lead to another look.
                hasUnseenWrites.store(false, ordering: .sequentiallyConsistent)
                if session.hasNews() {
                    if !session.mergeFewNewRecords() { addPendingChecks(.journal) }
                    remember(session)
                    return true
                }
                // The call may have merged them, without returning them to the store.
                return session.inForce.hasUndelivered
            }
            guard let hasNews else { return }
            if hasNews {
                watch.withLock { $0 }?.foundForeignChange()
                signal()
            }
            atomicMemoryFence(ordering: .sequentiallyConsistent)
        }
    }

    /// Works with the session, then checks for changes if there was an event meanwhile.
    func withLock<Result, Failure: Error>(
        _ body: (inout FileSession) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { lookForNews() }
        return try session.withLock(body)
    }

    /// The same for a caller that can't wait for a file, unless a call is at work.
    func withLockIfAvailable<Result>(_ body: (inout FileSession) -> Result) -> Result? {
        defer {
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            if takeUnseenWrites() { signal() }
        }
        return session.withLockIfAvailable(body)
    }

    // MARK: Pending checks

    func takePendingChecks() -> FileSession.PendingChecks {
        _ = takeUnseenWrites()
        return FileSession.PendingChecks(rawValue: pendingChecks.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// - Returns: Whether there are any; then the journal has to be checked.
    private func takeUnseenWrites() -> Bool {
        guard hasUnseenWrites.load(ordering: .sequentiallyConsistent),
            hasUnseenWrites.exchange(false, ordering: .sequentiallyConsistent)
        else { return false }
        addPendingChecks(.journal)
        return true
    }

    func addPendingChecks(_ checks: FileSession.PendingChecks) {
        pendingChecks.bitwiseOr(checks.rawValue, ordering: .acquiringAndReleasing)
    }

    var hasPendingChecks: Bool { pendingChecks.load(ordering: .acquiring) != 0 }
}
