/// Retries failed saves; see ``FailedSaves``.
extension Persister {
    /// Whether values of the round's commits would be given up, because others have stored something since these have run.
    ///
    /// What others had stored before is settled before a commit runs. So it has read what is not in force any more: it
    /// has to run again, and must not end as if it were stored.
    func conflictOfCommits() -> StorageError? {
        let lost = failedSaves.lost
        guard !lost.isEmpty else { return nil }
        guard joined.contains(where: { $0.revision != nil && pendingKeys(of: $0).contains(where: lost.contains) })
        else { return nil }
        return StorageError(.conflict, "Others have changed the settings since the transaction has read them.")
    }

    /// Gives up values that others have replaced, before the rest is appended again or a transaction builds on it.
    /// Requires the storage's lock and freshly fetched external changes, and that no value is one of the round's commits;
    /// see ``conflictOfCommits()``.
    func settleFailedSaves() {
        let lost = failedSaves.lost.filter { backlog.values[$0] != nil }
        guard !lost.isEmpty else { return }
        let stored = backlog.stored(with: undelivered)
        var restored: [SettingKey: SettingValue?] = [:]
        for key in lost.sorted() {
            restored.updateValue(stored[key], forKey: key)
            // The append that threw may still have taken effect. Where only the lock tells what is stored, write the old
            // value back, unless others have stored a newer one. Without a lock the storage tells if it has.
            backlog.giveUp(
                key, for: stored[key], isWrittenBack: exclusion.holdsOthersUp && !failedSaves.isReplaced(key))
            let issue = SettingsError.superseded(key, byCommit: failedSaves.isCommitted(key))
            report(issue)
            untoldLoss = untoldLoss ?? issue
        }
        failedSaves.gaveUp(lost)
        leaveUnresolved()
        log.giveUp(lost, after: lastHandedOver)
        undelivered.append(ExternalChange(.values(restored)))
    }

    func leaveUnresolved() { backlog.leaveUnresolved(log.lock.withLock { log.unsaved.lastCollected }) }

    /// The batch whose answer was lost has turned out to be stored.
    func resolve(by changes: inout [ExternalChange]) {
        guard let batch = backlog.unresolved, let place = changes.firstIndex(where: { $0.batch == batch.id }) else {
            return
        }
        didList(batch, at: changes[place].token)
        backlog.unresolved = nil
        // Nor is what others have stored before it newer than what has been written since.
        for index in undelivered.indices { undelivered[index].overwrite(batch.values) }
        for index in changes[..<place].indices { changes[index].overwrite(batch.values) }
        didStore(partOf: batch)
    }

    /// Records how external changes affect values whose save has failed.
    func compareWithFailedSaves(_ changes: [ExternalChange]) {
        guard failedSaves.isRetry, !changes.isEmpty else { return }
        let keys = backlog.keys
        var known = backlog.known
        for change in undelivered { known = change.values(at: keys, over: known) }
        for change in changes {
            switch change.content {
            case .unusable: continue
            case .values(let values): if values.isEmpty { continue }
            case .everything(let tree): if tree == stored { continue }
            }
            let new = change.values(at: keys, over: known)
            let changed = keys.filter { known[$0] != new[$0] }
            for key in changed { backlog.leave(key) }
            // To append it again could put it over their newer values.
            if !changed.isEmpty { leaveUnresolved() }
            // A value that others have stored as well is not lost.
            let replaced = changed.filter { key in
                guard let own = backlog.values[key] else { return true }
                return own != new[key]
            }
            failedSaves.changedOutside(Set(replaced))
            known = new
        }
    }

    /// Decides what becomes of the commits of a round whose save has failed.
    ///
    /// What an earlier batch of the round has made durable has succeeded. Of the rest, what was surely not stored is undone,
    /// and what may have been stored stands, and is retried only while others have changed nothing.
    ///
    /// - Returns: Whether the rest of the round has to be saved again, because others were faster.
    func settleFailedCommits(_ error: any Error) async -> Bool {
        guard joined.contains(where: { $0.revision != nil }) else { return false }
        let failure = (error as? SettingsError)?.underlying as? StorageError
        if failure != nil { endDurableCommits() }
        let commits = joined.filter { $0.revision != nil }
        guard let failure, !failure.isOutcomeUnknown, backlog.unresolved == nil else {
            for request in commits { failedSaves.commitFailed(pendingKeys(of: request)) }
            return false
        }
        undo(commits)
        // What an earlier batch of the round has stored must not run twice.
        let unstored = commits.filter { $0.revision.map { $0 > lastHandedOver } ?? false }
        if failure.code == .leaseLost, commits.contains(where: { !$0.fences.isEmpty }) {
            return endFenced(commits, unstored, failure)
        }
        guard failure.code == .conflict else { return false }
        // If this fails, the next attempt has the same conflict.
        try? await fetchExternalChanges()
        deliverFetched()
        runAgain(unstored, after: error)
        return true
    }

    private func endDurableCommits() {
        // A value that can't be encoded is in none of the batches, so its commit waits for the end of the round.
        let durable = log.lock.withLock { log.unsaved.unencodable.isEmpty ? log.changes.durableRevision : 0 }
        let succeeded = joined.filter { $0.revision.map { $0 <= durable } ?? false }
        joined.removeAll { request in succeeded.contains { $0 === request } }
        for request in succeeded { request.end(.success(())) }
    }

    /// The lease of a named lock has ended: what was written under it is undone, and the round's other commits run again.
    private func endFenced(
        _ commits: [SaveRequest], _ unstored: [SaveRequest], _ failure: StorageError
    ) -> Bool {
        let fenced = commits.filter { !$0.fences.isEmpty }
        joined.removeAll { request in fenced.contains { $0 === request } }
        for request in fenced {
            request.end(.failure(SettingsError.lockLost(request.fences.first?.name ?? "")))
        }
        deliverFetched()
        runAgain(unstored.filter(\.fences.isEmpty), after: SettingsError.storage(failure))
        return true
    }

    /// Lets the storage keep what waits for the next attempt.
    func preserve() async {
        machine.preserved(now: time.elapsed())
        // Commits are appended in a moment.
        guard !joined.contains(where: { $0.revision != nil }) else { return }
        let (revision, _) = encodeUnsaved(false)
        await storage.preserve(backlog.waiting(revision, with: undelivered))
    }

    func pendingKeys(of commit: SaveRequest) -> [SettingKey] {
        guard let revision = commit.revision else { return [] }
        let keys = log.keys(writtenAt: revision) ?? Array(backlog.values.keys)
        return keys.filter { backlog.values[$0] != nil }
    }

    /// Puts what is stored in force again, except where a later write has already replaced the commit's value.
    private func undo(_ commits: [SaveRequest]) {
        var undone: Set<SettingKey> = []
        for commit in commits {
            guard let revision = commit.revision else { continue }
            undone.formUnion(log.withoutLaterWrites(pendingKeys(of: commit), writtenAt: revision))
        }
        guard !undone.isEmpty else { return }
        let stored = backlog.stored(with: undelivered)
        var values: [SettingKey: SettingValue?] = [:]
        for key in undone where backlog.undo(key) { values.updateValue(stored[key], forKey: key) }
        // What waited there before waits again, with all that is known of it.
        failedSaves.forget(undone.filter { backlog.values[$0] == nil })
        log.giveUp(undone, after: lastHandedOver, isSuperseded: false)
        if !values.isEmpty { undelivered.append(ExternalChange(.values(values))) }
        if !tryToDeliver(within: Self.writerPatience) { deliverFetched() }
    }
}
