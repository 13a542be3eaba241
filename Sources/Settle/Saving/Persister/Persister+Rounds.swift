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
            try await request.wait { request in enqueue { await $0.accept(request) } }
        } else {
            try await request.waitUncancellably { request in enqueue { await $0.accept(request) } }
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
        let result = LockedValue<Result<Void, any Error>>(.failure(CancellationError()))
        let end = DispatchSemaphore(value: 0)
        enqueue { persister in
            let outcome: Result<Void, any Error> =
                persister.isClosed
                ? .failure(SettingsError.closed(key: nil)) : await persister.finishRound(isAsked: true)
            result.withLock { $0 = outcome }
            end.signal()
        }
        end.wait()
        try result.withLock { $0 }.get()
    }

    func join(_ request: SaveRequest) {
        joined.append(request)
        guard !isFinishScheduled else { return }
        isFinishScheduled = true
        enqueue { persister in
            persister.isFinishScheduled = false
            guard !persister.isClosed, !persister.joined.isEmpty || persister.exclusion != .none else { return }
            _ = await persister.finishRound()
            await persister.doWhatIsDue()
        }
    }

    /// Appends and syncs once for all requests that have joined, and resumes them.
    ///
    /// - Parameter isAsked: Whether a caller that has not joined waits for the result.
    /// - Returns: The result for flushes.
    private func finishRound(isAsked: Bool = false) async -> Result<Void, any Error> {
        let result: Result<Void, any Error>
        do {
            try await saveRound(isAsked: isAsked || !joined.isEmpty)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        if case .failure(let error) = result, await settleFailedCommits(error) {
            // Without the commits, nothing depends on the position any more.
            return await finishRound(isAsked: isAsked)
        }
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

    private func saveRound(isAsked: Bool) async throws {
        var first: (any Error)?
        var isSynced = false
        do {
            isSynced = try await endExclusion()
        } catch let error as SettingsError where error.code == .encodingFailed {
            first = error
        }
        if !isSynced, isAsked || first != nil || log.hasWaitingChanges {
            // Verify: the file may have been removed since it was synced.
            try await append(.synced, retryingEncoding: first == nil, verifying: isAsked)
        }
        if let first { throw first }
    }

    /// - Parameter flushes: The result for those that have written nothing themselves.
    func resumeJoined(with result: Result<Void, any Error>, flushes: Result<Void, any Error>) {
        let joined = joined
        self.joined = []
        backlog.endCommits()
        for request in joined { request.end(request.revision == nil ? flushes : result) }
    }

    /// Appends what was written while others were excluded, then lets them go on.
    ///
    /// - Returns: Whether everything is on stable storage.
    @discardableResult
    func endExclusion() async throws -> Bool {
        guard exclusion != .none, visitors == 0 else { return false }
        do {
            // A lock is released before the sync, which others need not wait for.
            let isSynced = try await append(exclusion.holdsOthersUp ? .buffered : .synced, retryingEncoding: true)
            await include()
            return isSynced
        } catch {
            await include()
            throw error
        }
    }
}
