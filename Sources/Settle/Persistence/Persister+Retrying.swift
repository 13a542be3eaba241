/// Retries failed saves; see ``FailedSaves``.
extension Persister {
    /// Gives up values that others have replaced, before the rest is appended again or a transaction builds on it.
    /// Requires the storage's lock and freshly fetched external changes.
    func settleFailedSaves() {
        let lost = failedSaves.lost.filter { unsaved[$0] != nil }
        guard !lost.isEmpty else { return }
        let stored = storedUnderUnsaved
        var restored: [SettingKey: SettingValue?] = [:]
        for key in lost.sorted() {
            restored.updateValue(stored[key], forKey: key)
            // The append that threw may still have taken effect. Write the old value back, unless others have stored a
            // newer one.
            if !failedSaves.isReplaced(key) { writtenBack.updateValue(stored[key], forKey: key) }
            unsaved.removeValue(forKey: key)
            replaced.removeValue(forKey: key)
            let issue = SettingsError.superseded(key, byCommit: failedSaves.isCommitted(key))
            report(issue)
            untoldLoss = untoldLoss ?? issue
        }
        failedSaves.gaveUp(lost)
        log.noteGivenUp(lost, after: lastHandedOver)
        undelivered.append(ExternalChange(.values(restored)))
    }

    /// Records how external changes affect values whose save has failed.
    func noteForFailedSaves(_ changes: [ExternalChange]) {
        guard failedSaves.isRetry, !changes.isEmpty else { return }
        let keys = Array(unsaved.keys) + writtenBack.keys
        var known = replaced.merging(writtenBack.compactMapValues { $0 }) { own, _ in own }
        for change in undelivered { known = change.values(at: keys, over: known) }
        for change in changes {
            switch change.content {
            case .unusable: continue
            case .values(let values): if values.isEmpty { continue }
            case .everything(let tree): if tree == stored { continue }
            }
            let new = change.values(at: keys, over: known)
            let changed = keys.filter { known[$0] != new[$0] }
            for key in changed { writtenBack.removeValue(forKey: key) }
            // A value that others have stored as well is not lost.
            let replaced = changed.filter { key in
                guard let own = unsaved[key] else { return true }
                return own != new[key]
            }
            failedSaves.changedOutside(Set(replaced))
            known = new
        }
    }

    /// After a failed round: its commits stand in memory, and are retried only while others have changed nothing.
    func noteFailedCommits() {
        guard !unsaved.isEmpty else { return }
        for request in joined {
            guard let revision = request.revision else { continue }
            let keys = log.keys(writtenAt: revision) ?? Array(unsaved.keys)
            failedSaves.commitFailed(keys.filter { unsaved[$0] != nil })
        }
    }
}

extension MutationLog {
    /// The keys that a transaction has changed; `nil` if the log no longer has it.
    fileprivate func keys(writtenAt revision: UInt64) -> [SettingKey]? {
        lock.withLock { ring[revision]?.details.mutations.map(\.slot.key) }
    }

    /// Drops values that the storage has not accepted and that will not be saved any more.
    ///
    /// - Parameter revision: The storage has accepted everything up to here.
    fileprivate func noteGivenUp(_ keys: Set<SettingKey>, after revision: UInt64) {
        lock.withLock {
            undurable.giveUp(keys, writtenAfter: revision, upTo: lastTaken, of: ring)
            counts.superseded &+= UInt64(keys.count)
            keysBeingSaved.subtract(keys)
        }
    }
}
