import Dispatch

/// Commits and flushes that arrive together share one append and one sync.
///
/// Whoever joins a round puts its end at the back of the persister's queue. So everybody who has entered the queue before that
/// joins the same round, and whoever comes after the values have been taken gets the next one.
extension Persister {
    /// Saves everything that has been published so far. Returns when it is on stable storage.
    ///
    /// - Parameter isCancellable: Whether it throws a `CancellationError` if the task is cancelled, rather than to save all the same.
    nonisolated func flush(isCancellable: Bool = true) async throws {
        let request = SaveRequest(.save, in: nil)
        if isCancellable {
            try await request.wait { request in enqueue { $0.take(request) } }
        } else {
            try await request.waitUncancellably { request in enqueue { $0.take(request) } }
        }
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

    func join(_ request: SaveRequest) {
        joined.append(request)
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
    /// - Returns: What a flush is told.
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
        if case .failure = result { noteFailedCommits() }
        // What was given up is no matter of the commits, whose own values are saved.
        var ofFlushes = result
        if case .success = result, let loss = untoldLoss,
            (isAsked && joined.isEmpty) || joined.contains(where: { $0.revision == nil })
        {
            ofFlushes = .failure(loss)
            untoldLoss = nil
        }
        resumeJoined(with: result, flushes: ofFlushes)
        return ofFlushes
    }

    func resumeJoined(with result: Result<Void, any Error>, flushes: Result<Void, any Error>) {
        let joined = joined
        self.joined = []
        for request in joined { request.end(request.revision == nil ? flushes : result) }
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
}
