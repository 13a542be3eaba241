/// Retries failed saves, and undoes or gives up values that can't be saved; see ``PendingSaves``.
extension BatchWriter {
    /// Returns the keys that a commit has written and that are not stored.
    func keys(of commit: SaveRequest) -> [SettingKey] {
        guard let revision = commit.revision, !commit.isReading else { return [] }
        let keys = log.keys(writtenAt: revision) ?? Array(pending.values.keys)
        return (keys + [UnconfirmedCommit.key]).filter { pending.values[$0] != nil }
    }

    /// Returns whether a commit was stored, even if other values are still pending.
    func isStored(_ commit: SaveRequest) -> Bool {
        guard let revision = commit.revision, !commit.isReading else { return false }
        return revision <= lastHandedOver || pending.storedRevisions.contains(revision)
    }

    // MARK: Others have stored something

    /// Records how external changes affect values whose save has failed, and the commits of the group.
    func compareWithFailedSaves(_ changes: [ExternalChange]) {
        guard !changes.isEmpty else { return }
        let isEverything = changes.contains { if case .everything = $0.content { true } else { false } }
        let stored = isEverything && pending.isRetry ? stored : nil
        pending.changedOutside(
            changes, after: external.unmerged, stored: stored,
            collected: log.lock.withLock { log.unsaved.lastCollected })
    }

    /// Returns a conflict if a group's commits have to run again, because others have stored something since the group
    /// began.
    ///
    /// Earlier changes of others are settled before a commit runs. The commit may have read any key, including values
    /// of earlier commits that are given up because of such a change: it must not end as if it were stored.
    func conflict(of group: CommitGroup) -> StorageError? {
        group.hasCommits && pending.isBehind ? .others : nil
    }

    /// Gives up values that others have replaced, before the rest is appended again or a transaction builds on it.
    /// Requires the storage's lock and freshly fetched external changes, and that none of the values is from the
    /// group's commits; see ``conflict(of:)``.
    ///
    /// - Returns: The first of the errors, which are reported.
    func giveUpContested() -> SettingsError? {
        let givenUp = pending.giveUpContested(with: external.unmerged, isLocked: isolation.holdsOthersUp)
        guard !givenUp.isEmpty else { return nil }
        var restored: [SettingKey: SettingValue?] = [:]
        var first: SettingsError?
        for (key, stored, isCommitted) in givenUp where key != UnconfirmedCommit.key {
            restored.updateValue(stored, forKey: key)
            let issue = SettingsError.superseded(key, byCommit: isCommitted)
            report(issue)
            first = first ?? issue
        }
        leaveUnresolved()
        log.giveUp(Set(givenUp.map(\.key)), after: lastHandedOver)
        external.add([ExternalChange(.values(restored))])
        let key = UnconfirmedCommit.key
        if pending.writtenBack[key] != nil {
            pending.writtenBack.updateValue(external.migrations.record.unconfirmed, forKey: key)
        }
        adoptUnconfirmed()
        return first
    }

    /// Adopts the stored unconfirmed commit as the store's, unless another one is pending.
    func adoptUnconfirmed() {
        let stored = external.migrations.record.unconfirmed
        let waiting = pending.values[UnconfirmedCommit.key]
        if waiting != nil { pending.replaced[UnconfirmedCommit.key] = stored }
        let record = waiting ?? stored
        if log.lock.withLock({ log.unconfirmed.adopt(record) }) { report(.unreadableUnconfirmed) }
    }

    func leaveUnresolved() { pending.leaveUnresolved(log.lock.withLock { log.unsaved.lastCollected }) }

    /// Undoes commits: the stored values are in force again, except where a later write has already replaced the
    /// commit's value.
    ///
    /// - Returns: Whether there was something to undo.
    func undo(_ commits: [SaveRequest]) -> Bool {
        var undone: Set<SettingKey> = []
        for commit in commits {
            guard let revision = commit.revision else { continue }
            undone.formUnion(log.withoutLaterWrites(keys(of: commit), writtenAt: revision))
        }
        if !commits.isEmpty, pending.values[UnconfirmedCommit.key] != nil { undone.insert(UnconfirmedCommit.key) }
        guard !undone.isEmpty else { return false }
        var values = pending.undo(undone, with: external.unmerged)
        if undone.contains(UnconfirmedCommit.key) {
            values.removeValue(forKey: UnconfirmedCommit.key)
            pending.restored.removeValue(forKey: UnconfirmedCommit.key)
            adoptUnconfirmed()
        }
        log.giveUp(undone, after: lastHandedOver, isSuperseded: false)
        if !values.isEmpty { external.add([ExternalChange(.values(values))]) }
        return true
    }

    // MARK: The storage refuses a value

    /// Removes a refused value from its batch, with all values that were written together with it.
    ///
    /// - Returns: The error, which is reported; `nil` if the value can't be removed. For example, that of a commit
    ///   can't: the commit fails as a whole.
    func setAside(
        _ key: SettingKey, for error: StorageError, of group: CommitGroup, upTo revision: UInt64,
        changedAt oldest: Double
    ) -> SettingsError? {
        guard let unit = pending.unitToSetAside(with: key),
            !group.commits.contains(where: { !unit.isDisjoint(with: keys(of: $0)) })
        else { return nil }
        let slots = log.lock.withLock { unit.compactMap(log.stored.slots.placed) }
        let settings = slots.compactMap { slot in slot.box.map { (slot: slot, box: $0) } }
        // Removals at other spellings are collected again with their setting.
        let spellings = unit.subtracting(settings.map(\.slot.key))
        guard let first = settings.first(where: { $0.slot.key == key }),
            spellings.allSatisfy({ pending.values[$0] == .some(nil) })
        else { return nil }
        for spelling in spellings {
            let left = pending.setAside(spelling)
            log.lock.withLock { log.stored.tree[spelling] = left }
        }
        // Inner keys first, while the outer one is still there.
        for (slot, box) in settings.sorted(by: \.slot.key).reversed() {
            log.revert(slot, box, leaving: pending.setAside(slot.key), upTo: revision, changedAt: oldest)
        }
        pending.refuse(unit)
        let issue = SettingsError.encodingFailed(key: key, isSecret: first.slot.isSecret, error)
        report(issue)
        return issue
    }
}
