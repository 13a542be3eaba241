import Dispatch

/// Saves commits and flushes together; see ``CommitGroup``.
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
                ? .failure(SettingsError.closed(key: nil)) : await persister.endGroup(isAsked: true)
            result.withLock { $0 = outcome }
            end.signal()
        }
        end.wait()
        try result.withLock { $0 }.get()
    }

    /// Begins to append what is unsaved, for a thread that can't suspend.
    ///
    /// - Returns: Signalled once the storage has it, or has failed. `nil` if nothing is unsaved, or if the calling thread is
    ///   the one that would append.
    nonisolated func beginAppend() -> DispatchSemaphore? {
        guard log.lock.withLock({ log.unsaved.hasUnaccepted }), !executor.isCurrent else { return nil }
        let end = DispatchSemaphore(value: 0)
        enqueue { persister in
            if !persister.isClosed { _ = try? await persister.append(.buffered, retryingEncoding: true) }
            end.signal()
        }
        return end
    }

    func join(_ request: SaveRequest) {
        guard group.join(request) else { return }
        enqueue { persister in
            persister.group.endBegins()
            guard !persister.isClosed, !persister.group.isEmpty || persister.writer.isolation != .none else { return }
            _ = await persister.endGroup()
            await persister.doWhatIsDue()
        }
    }

    /// Appends and syncs once for all requests of the group, and resumes them.
    ///
    /// - Parameter isAsked: Whether a caller that has not joined waits for the result.
    /// - Returns: The result for flushes.
    private func endGroup(isAsked: Bool = false) async -> Result<Void, any Error> {
        let result: Result<Void, any Error>
        do {
            try await saveGroup(isAsked: isAsked || !group.isEmpty)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        if case .failure(let error) = result, await settleFailedCommits(error) {
            // Without the commits, nothing depends on the position any more.
            return await endGroup(isAsked: isAsked)
        }
        var ofFlushes = result
        if case .success = result, let loss = group.takeLoss(isAsked: isAsked) { ofFlushes = .failure(loss) }
        resumeGroup(with: result, flushes: ofFlushes)
        return ofFlushes
    }

    private func saveGroup(isAsked: Bool) async throws {
        var first: (any Error)?
        var isSynced = false
        do {
            isSynced = try await saveIsolated()
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
    func resumeGroup(with result: Result<Void, any Error>, flushes: Result<Void, any Error>) {
        writer.pending.endCommits()
        for request in group.takeAll() { request.end(request.isCommit ? result : flushes) }
    }

    // MARK: Failures

    /// Decides what becomes of the commits of a group whose save has failed.
    ///
    /// What an earlier batch of the group has made durable has succeeded. Of the rest, what was surely not stored is undone,
    /// and what may have been stored stands, and is retried only while others have changed nothing.
    ///
    /// - Returns: Whether the rest of the group has to be saved again, because others were faster.
    private func settleFailedCommits(_ error: any Error) async -> Bool {
        guard group.hasCommits else { return false }
        let failure = (error as? SettingsError)?.underlying as? StorageError
        if failure != nil { endDurableCommits() }
        let commits = group.commits
        guard let failure, !failure.isOutcomeUnknown, writer.pending.unresolved == nil else {
            for request in commits { writer.pending.commitFailed(writer.keys(of: request)) }
            return false
        }
        if writer.undo(commits), !tryToDeliver(within: Self.writerPatience) { deliverFetched() }
        // What an earlier batch of the group has stored must not run twice.
        let unstored = commits.filter { $0.revision.map { $0 > writer.lastHandedOver } ?? false }
        if failure.code == .leaseLost, commits.contains(where: { !$0.fences.isEmpty }) {
            endFencedCommits()
            deliverFetched()
            runAgain(unstored.filter(\.fences.isEmpty), after: SettingsError.storage(failure))
            return true
        }
        guard failure.code == .conflict else { return false }
        // If this fails, the next attempt has the same conflict.
        try? await fetchExternalChanges()
        deliverFetched()
        runAgain(unstored, after: error)
        return true
    }

    private func endDurableCommits() {
        // A value that can't be encoded is in none of the batches, so its commit waits for the end of the group.
        let durable = log.lock.withLock { log.unsaved.unencodable.isEmpty ? log.changes.durableRevision : 0 }
        let succeeded = group.take { $0.revision.map { $0 <= durable } ?? false }
        for request in succeeded { request.end(.success(())) }
    }

    /// The lease of a named lock has ended, so what was written under it has been undone.
    private func endFencedCommits() {
        for request in group.take(where: { $0.isCommit && !$0.fences.isEmpty }) {
            request.end(.failure(SettingsError.lockLost(request.fences.first?.name ?? "")))
        }
    }

    /// Runs commits again that were undone because others were faster.
    private func runAgain(_ commits: [SaveRequest], after error: any Error) {
        _ = group.take { request in commits.contains { $0 === request } }
        for request in commits {
            request.revision = nil
            if !request.prepareToRunAgain(limit: Self.attemptLimit) { request.end(.failure(error)) }
        }
        transactions.runAgain(commits)
        guard !transactions.waiting.isEmpty, !transactions.isHandOffAwaited else { return }
        enqueue { await $0.runTransactions() }
    }
}
