import Dispatch

/// Saves commits and flushes together; see ``CommitGroup``.
extension Persister {
    /// Saves everything published so far, and returns once it is on stable storage.
    ///
    /// - Parameter isCancellable: Whether a cancelled task throws `CancellationError`. Otherwise it saves all the same.
    nonisolated func flush(isCancellable: Bool = true) async throws {
        let request = SaveRequest(.save, in: nil)
        if isCancellable {
            try await submit(request)
        } else {
            try await request.waitUncancellably { enqueue(.request($0)) }
        }
    }

    /// Saves as `flush` does, for callers that can't suspend. Needs no thread of the concurrency runtime.
    nonisolated func flushSynchronously() throws {
        guard !executor.isCurrent else {
            throw SettingsError(
                .flushInsideWrite,
                "flushAndWait() can't be called while the store converts or saves values, for example in an encoder: "
                    + "the save in progress would wait for itself.")
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

    /// Begins to append unsaved values, for a thread that can't suspend.
    ///
    /// - Returns: A semaphore, signalled once the storage has them, or has failed. `nil` if nothing is unsaved, or if
    ///   the calling thread is the one that would append.
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
        group.join(request)
        scheduleGroupEnd()
    }

    func scheduleGroupEnd() {
        if group.scheduleEnd() { enqueue { await $0.endScheduledGroup() } }
    }

    private func endScheduledGroup() async {
        guard !group.mustWait(writer.isolation) else { return }
        guard !isClosed else { return }
        // A thread that can't suspend may have ended the group already, but not run what waits for its end.
        if !group.isEmpty || writer.isolation != .none { _ = await endGroup() }
        // First: transactions that have waited for the lock would put off a due checkpoint.
        await doWhatIsDue()
        await runTransactions()
    }

    /// Appends and syncs once for all requests of the group, and resumes them.
    ///
    /// - Parameter isAsked: Whether a caller that has not joined waits for the result.
    /// - Returns: The result for flushes.
    private func endGroup(isAsked: Bool = false) async -> Result<Void, any Error> {
        do {
            try await saveGroup(isAsked: isAsked || !group.isEmpty)
        } catch {
            // Only a caller that can't suspend does not wait for the visitors. Their values may depend on what would be
            // undone.
            if group.dependsOnVisitors(writer.isolation) { return .failure(error) }
            guard let ofCommits = await settleFailedCommits(error) else {
                // Without the commits, nothing depends on the position any more.
                return await endGroup(isAsked: isAsked)
            }
            resumeGroup(with: .failure(ofCommits), flushes: .failure(error))
            return .failure(error)
        }
        if group.hasCommits { contention.succeeded() }
        // Commits succeed all the same: their own values are saved.
        let ofFlushes: Result<Void, any Error> = group.loss.map { .failure($0) } ?? .success(())
        // A cancelled flush leaves the loss to the next one.
        if resumeGroup(with: .success(()), flushes: ofFlushes) || isAsked { group.loss = nil }
        return ofFlushes
    }

    private func saveGroup(isAsked: Bool) async throws {
        var first: (any Error)?
        var appended: Appended?
        do {
            appended = try await saveIsolated()
        } catch let error as SettingsError where error.code == .encodingFailed {
            first = error
        }
        if let appended {
            if appended.isSynced { return }
            if isAsked, writer.hasAppendedEverything { return try await synchronize(appended) }
        }
        if isAsked || first != nil || log.hasWaitingChanges {
            // Verify: the file may have been removed since it was synced.
            try await append(.synced, retryingEncoding: first == nil, verifying: isAsked)
        }
        if let first { throw first }
    }

    /// - Parameter flushes: The result for requests that have written nothing themselves.
    /// - Returns: Whether any of these gets it.
    @discardableResult
    func resumeGroup(with result: Result<Void, any Error>, flushes: Result<Void, any Error>) -> Bool {
        writer.pending.endCommits()
        var hasFlushed = false
        for request in group.takeAll() {
            let isCommit = request.isCommit
            if request.end(isCommit ? result : flushes), !isCommit { hasFlushed = true }
        }
        return hasFlushed
    }

    // MARK: Failures

    /// Decides about the commits of a group whose save has failed.
    ///
    /// Commits that an earlier batch of the group has made durable have succeeded. Of the others, those that were
    /// surely not stored are undone. Those that may have been stored stay in force, and are retried only while others
    /// have changed nothing.
    ///
    /// - Returns: The error that they throw; `nil` if the rest of the group has to be saved again, because others were
    ///   faster.
    private func settleFailedCommits(_ error: any Error) async -> (any Error)? {
        guard group.hasCommits else { return error }
        let issue = error as? SettingsError
        let failure = issue?.underlying as? StorageError
        endDurableCommits(isRead: issue?.code == .encodingFailed)
        let commits = group.commits
        if issue?.code == .encodingFailed { return error }
        guard let issue, let failure, !failure.isOutcomeUnknown, writer.pending.unresolved == nil else {
            for request in commits { writer.pending.commitFailed(writer.keys(of: request)) }
            return failure.map { SettingsError.commitStands($0) } ?? error
        }
        // Commits that an earlier batch of the group has stored must not run twice.
        let unstored = commits.filter { !writer.isStored($0) }
        if writer.undo(unstored), !tryToDeliver(within: Self.writerPatience) { deliverFetched() }
        if failure.code == .leaseLost, !group.fences.isEmpty {
            let lost = await lostLeases()
            endCommits(under: lost)
            deliverFetched()
            let others = unstored.filter { lost.isDisjoint(with: $0.fences) }
            let loss = StorageError(.conflict, "The lock of a commit in the same batch was lost.")
            runAgain(others, after: loss)
            return nil
        }
        guard failure.code == .conflict else {
            endStoredCommits(after: failure)
            return SettingsError.commitUndone(issue)
        }
        // If this fails, the next attempt has the same conflict.
        try? await fetchExternalChanges()
        deliverFetched()
        runAgain(unstored, after: failure)
        return nil
    }

    /// - Parameter isRead: Whether commits that change nothing have read the newest values: all that could be encoded
    ///   is stored.
    private func endDurableCommits(isRead: Bool) {
        let (durable, unencodable) = log.lock.withLock {
            (log.changes.durableRevision, Set(log.unsaved.unencodable.map(\.slot.key)))
        }
        let succeeded = group.take { request in
            guard let revision = request.revision else { return false }
            if request.isReading { return isRead }
            // None of the batches has a value that can't be encoded.
            guard revision <= durable else { return false }
            return unencodable.isEmpty || log.keys(writtenAt: revision).map(unencodable.isDisjoint) ?? false
        }
        for request in succeeded { request.end(.success(())) }
    }

    /// Ends commits that an earlier batch of the group has stored: they have not been undone, though the group has
    /// failed.
    private func endStoredCommits(after failure: StorageError) {
        var unknown = failure
        unknown.isOutcomeUnknown = true
        for request in group.take(where: writer.isStored) {
            request.end(.failure(SettingsError.commitStands(unknown)))
        }
    }

    /// Returns which leases of commits that were to be stored together have ended. The storage has refused all commits
    /// because of one lease.
    private func lostLeases() async -> Set<StorageLease> {
        let leases = group.fences
        guard leases.count > 1 else { return leases }
        var lost: Set<StorageLease> = []
        for lease in leases where await locks.hasEnded(lease) { lost.insert(lease) }
        return lost.isEmpty ? leases : lost
    }

    /// Ends the commits under lost leases of named locks: their values have been undone.
    private func endCommits(under lost: Set<StorageLease>) {
        for request in group.take(where: { $0.isCommit && !lost.isDisjoint(with: $0.fences) }) {
            let name = request.fences.first(where: lost.contains)?.name ?? ""
            request.end(.failure(SettingsError.lockLost(name)))
        }
    }

    /// Reruns commits that were undone because others were faster.
    private func runAgain(_ commits: [SaveRequest], after error: StorageError) {
        _ = group.take { request in commits.contains { $0 === request } }
        for request in commits {
            request.revision = nil
            if let failure = request.prepareToRunAgain(after: error, now: time.elapsed()) {
                request.end(.failure(failure))
            }
        }
        transactions.runAgain(commits)
        guard !transactions.isPaused else { return }
        transactions.isPaused = true
        let resume: @Sendable () -> Void = { [weak self] in
            self?.enqueue { persister in
                persister.transactions.isPaused = false
                await persister.runTransactions()
            }
        }
        let pause = contention.next()
        // The first time that others are faster there is no pause.
        guard contention.attempts > 1 else { return resume() }
        Task.detached { [time] in
            // An error only means that the sleep was cancelled.
            try? await time.sleep(time.elapsed() + pause)
            resume()
        }
    }
}
