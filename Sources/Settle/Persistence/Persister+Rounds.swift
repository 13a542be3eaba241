import Dispatch

/// Commits and flushes that arrive together share one append and one sync.
///
/// Whoever joins a round puts its end at the back of the persister's queue. So everybody who has entered the queue before that
/// joins the same round, and whoever comes after the values have been taken gets the next one.
extension Persister {
    /// Saves everything that has been published so far. Returns when it is on stable storage.
    func flush() async throws {
        guard !isClosed else { throw SettingsError.closed(key: nil) }
        try await join()
    }

    /// The same, for a caller that can't wait asynchronously. It needs no thread of the concurrency runtime.
    nonisolated func flushSynchronously() throws {
        guard !executor.isCurrent else {
            throw SettingsError(
                .flushInsideWrite,
                "flushAndWait() can't be called while the store converts or saves values, such as by an encoder: the save that "
                    + "is under way would wait for itself.")
        }
        try executor.queue.sync {
            try assumeIsolated { persister in
                guard !persister.isClosed else { throw SettingsError.closed(key: nil) }
                try persister.finishRound(isAsked: true).get()
            }
        }
    }

    func join() async throws {
        try await withUnsafeThrowingContinuation { continuation in
            joined.append(continuation)
            scheduleFinish()
        }
    }

    private func scheduleFinish() {
        guard !isFinishScheduled else { return }
        isFinishScheduled = true
        enqueue { persister in
            persister.isFinishScheduled = false
            guard !persister.isClosed, !persister.joined.isEmpty || persister.isStorageLocked else { return }
            _ = persister.finishRound()
            persister.look()
        }
    }

    /// Appends and syncs for all that have joined, and tells them.
    ///
    /// - Parameter isAsked: Whether somebody waits for it who has not joined.
    private func finishRound(isAsked: Bool = false) -> Result<Void, any Error> {
        let result = Result {
            var first: (any Error)?
            do {
                try unlockStorage()
            } catch let error as SettingsError where error.code == .encodingFailed {
                first = error
            }
            let isAsked = isAsked || !joined.isEmpty
            if !isAsked, first == nil, !log.hasWaitingChanges { return }
            // What was stable before may have been removed since.
            try append(.stable, retryingEncoding: first == nil, verifying: isAsked)
            if let first { throw first }
        }
        resumeJoined(with: result)
        return result
    }

    func resumeJoined(with result: Result<Void, any Error>) {
        let joined = joined
        self.joined = []
        for continuation in joined { continuation.resume(with: result) }
    }

    // MARK: Commits

    /// Runs a transaction, and returns when it is on stable storage.
    ///
    /// From taking in what others have stored until the append of what the transaction has written, the storage is locked for
    /// others. Nobody can get in between, so the closure runs exactly once. The lock of the storage goes to all commits of a
    /// round; their closures run one after the other.
    ///
    /// - Throws: What the closure throws, with everything undone; an error of the storage's lock before the closure has run.
    func commit<Result: Sendable>(_ commit: Commit<Result>, in store: StoreCore) async throws -> Result {
        try await lockForTransaction(of: store)
        // Whatever is written now: this queue looks after it. That spares the transaction a call.
        log.attend()
        let result: Result
        do {
            defer { store.writer.unlock() }
            result = try store.transact(origin: .local, writer: commit.writer, commit.body)
        } catch {
            endRoundIfUnused()
            throw error
        }
        try await join()
        return result
    }

    /// Lets somebody run a transaction elsewhere while the storage is locked and the changes of others are taken in.
    func beginVisit(of store: StoreCore) async throws {
        try await lockForTransaction(of: store)
        visitors += 1
        store.writer.unlock()
    }

    /// - Parameter mustSave: False if there is nothing to save, because the transaction was undone.
    func endVisit(mustSave: Bool) async throws {
        visitors -= 1
        if mustSave {
            try await join()
        } else {
            endRoundIfUnused()
        }
    }

    /// Locks the storage, takes in what others have stored, and takes the writer's lock, all at once.
    private func lockForTransaction(of store: StoreCore) async throws {
        var attempt = 0
        while true {
            // Again each time: while this one waits, others may have ended the round.
            try lockStorage()
            if store.writer.tryLock() {
                takeInUndelivered()
                return
            }
            await Self.backOff(&attempt)
        }
    }

    private func lockStorage() throws {
        guard !isClosed else { throw SettingsError.closed(key: nil) }
        guard !isStorageLocked else { return }
        do {
            try storage.lock()
            do {
                try fetchExternalChanges()
            } catch {
                storage.unlock()
                throw error
            }
        } catch {
            throw SettingsError.commitNotBegun(error)
        }
        isStorageLocked = true
    }

    /// Appends what has been written under the lock of the storage, and gives the lock up.
    func unlockStorage() throws {
        guard isStorageLocked, visitors == 0 else { return }
        defer {
            storage.unlock()
            isStorageLocked = false
            noteUnlocked()
        }
        try append(.process, retryingEncoding: true)
    }

    private func endRoundIfUnused() {
        guard joined.isEmpty, visitors == 0 else { return }
        // An error is reported by the append; nobody is here who waits for it.
        try? unlockStorage()
        look()
    }

    /// Lets others have the queue for a moment, a short one at first. In real time, because it waits for a thread.
    static func backOff(_ attempt: inout Int) async {
        attempt += 1
        if attempt <= 4 {
            await Task.yield()
        } else {
            try? await Task.sleep(for: .microseconds(50 << min(attempt - 5, 5)), tolerance: .zero, clock: .continuous)
        }
    }
}

/// A transaction on its way to the persister's queue.
struct Commit<Result: Sendable>: @unchecked Sendable {
    // Sendable: the task that made it is suspended until the closure has run or never will, and that task is the only one that
    // can reach what the closure has captured: the closure is neither Sendable nor isolated to an actor, see
    // `StoreCore.commit`.
    let writer: String?
    let body: () throws -> Result
}
