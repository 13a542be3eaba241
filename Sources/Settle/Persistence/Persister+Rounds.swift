import Dispatch

/// Commits and flushes that arrive together share one append and one sync.
///
/// The first request of a round enqueues the round's end behind everything already in the persister's queue. So
/// requests enqueued before that join the same round, and requests that arrive after its values have been taken get the
/// next one.
extension Persister {
    /// Saves everything published so far, and returns once it is on stable storage.
    ///
    /// - Parameter isCancellable: Whether a cancelled task throws `CancellationError`. Otherwise it saves all the same.
    nonisolated func flush(isCancellable: Bool = true) async throws {
        let request = SaveRequest(.save, in: nil)
        if isCancellable {
            try await request.wait { request in enqueue { $0.take(request) } }
        } else {
            try await request.waitUncancellably { request in enqueue { $0.take(request) } }
        }
    }

    /// As `flush`, for callers that can't suspend. Needs no thread of the concurrency runtime.
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

    /// Appends and syncs once for all requests that have joined, and resumes them.
    ///
    /// - Parameter isAsked: Whether a caller that has not joined waits for the result.
    /// - Returns: The result for flushes.
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
            // Verify: the file may have been removed since it became stable.
            try append(.synced, retryingEncoding: first == nil, verifying: isAsked)
            if let first { throw first }
        }
        if case .failure = result { noteFailedCommits() }
        // Report a loss to flushes only: the values of the commits themselves are saved.
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

    /// Appends what was written under the storage's lock, then releases the lock.
    func unlockStorage() throws {
        guard isStorageLocked, visitors == 0 else { return }
        defer {
            storage.unlock()
            isStorageLocked = false
            noteUnlocked()
        }
        try append(.buffered, retryingEncoding: true)
    }
}
