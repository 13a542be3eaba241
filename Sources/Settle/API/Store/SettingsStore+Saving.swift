extension SettingsStore {
    /// Saves everything that has been written so far; returns when it is on stable storage.
    ///
    /// Stable storage is the journal, if not the readable file: the next opening finds everything, but the file may lag
    /// behind for a moment; ``File/flush()`` waits for it, too.
    ///
    /// - Throws: ``SettingsError`` if saving failed; nothing is lost then, and the store keeps trying.
    public func flush() async throws {
        let core = try open()
        try await core.persister.flush()
        try core.throwRefusedAssignment()
    }

    /// Saves everything that has been written so far, for callers that can't wait asynchronously. Blocks the calling
    /// thread, and works even if every thread of the concurrency runtime is blocked.
    ///
    /// Never call it in a cancellation handler of a task that may be waiting in `commit` or ``flush()``: that task
    /// can't be resumed while the handler runs, so both may wait forever.
    ///
    /// - Throws: ``SettingsError`` if saving failed, or if it is called inside a write of this store, such as the
    ///   closure of `update`: the writes there are not published yet, and the save might have to wait for their end.
    public func flushAndWait() throws {
        try open().flushAndWait()
    }

    /// Waits until the task is cancelled or the store is closed, then saves everything and returns.
    ///
    /// This is the `run()` of a service. A service group of swift-service-lifecycle cancels its services when one of
    /// them fails. A graceful shutdown, such as after `SIGTERM`, does not cancel them; `cancelWhenGracefulShutdown`
    /// translates it:
    ///
    /// ```swift
    /// struct SettingsService: Service {
    ///     let store: SettingsStore
    ///
    ///     func run() async throws {
    ///         try await cancelWhenGracefulShutdown { try await store.run() }
    ///     }
    /// }
    /// ```
    ///
    /// The first service of a group ends last, so everything that the others write while they end is saved too.
    ///
    /// - Throws: ``SettingsError`` if the last save failed.
    public func run() async throws {
        try await core.run()
    }

    /// Saves everything when a termination signal arrives, and then lets the signal end the process.
    ///
    /// One call is enough for the life of the process. It works even if every thread of the concurrency runtime is
    /// blocked. A signal that the process ignores, as under `nohup`, stays ignored. A program that handles these
    /// signals itself should call ``flushAndWait()`` there instead.
    ///
    /// - Parameter signals: By default `SIGTERM` and `SIGINT`.
    public func flushOnTermination(_ signals: Set<TerminationSignal> = [.terminate, .interrupt]) {
        TerminationWatch.shared.add(signals) { [weak core] in
            // A failure can no longer be reported; the storage keeps the state before.
            try? core?.flushAndWait()
        }
    }
}

extension StoreCore {
    fileprivate func flushAndWait() throws {
        guard !writer.isHeldByCurrentThread else {
            throw SettingsError(
                .flushInsideWrite,
                "flushAndWait() can't be called while this thread writes a setting or runs an update or a commit: call it "
                    + "afterwards.")
        }
        try persister.flushSynchronously()
        try throwRefusedAssignment()
    }

    fileprivate func run() async throws {
        let waiter = Waiter(countedIn: nil)
        while !Task.isCancelled, !(log.lock.withLock { log.changes.waking.isFinished }) {
            await log.wait(on: log.lifetime, with: waiter) { false }
        }
        guard !isClosed else { return }
        try await persister.flush(isCancellable: false)
        try throwRefusedAssignment()
    }

    /// Throws if assignments were refused because a newer program has migrated the stored values.
    func throwRefusedAssignment() throws {
        if let error = refusedAssignment.withLock({ $0 }) { throw error }
    }
}
