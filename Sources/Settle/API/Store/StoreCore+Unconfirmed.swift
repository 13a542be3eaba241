/// Commits that are taken back unless they are confirmed in time; see ``UnconfirmedCommit``.
extension StoreCore {
    private var unconfirmed: UnconfirmedCommit? { log.lock.withLock { log.unconfirmed.current } }

    /// The reason why there is nothing to confirm or to take back.
    private var noneUnconfirmed: SettingsError {
        log.lock.withLock { log.unconfirmed.isUnreadable } ? .unreadableUnconfirmed : .nothingUnconfirmed
    }

    // MARK: Committing

    /// Records the values that the transaction in progress has replaced. Called at its end, under the writer's lock.
    func stageUnconfirmed(_ confirmation: CommitConfirmation, author: String?) throws {
        var changes: [StoredMutation] = []
        for slot in writtenSlots {
            let (old, new) = (try storedBefore(slot), try ownStored(at: slot.key))
            guard old != new else { continue }
            try checkUnconfirmed(slot.key, secrets: confirmation.secrets)
            changes.append(StoredMutation(key: slot.key, oldValue: old, newValue: new))
        }
        guard !changes.isEmpty else { return }
        // This one's record would replace it.
        if log.lock.withLock({ log.unconfirmed.isUnreadable }) { throw SettingsError.unreadableUnconfirmed }
        let new = UnconfirmedCommit(changes, by: author, within: confirmation.length, at: time.moment())
        let joined = unconfirmed?.joined(by: new) ?? new
        do {
            try persister.storage.check(joined.record, at: UnconfirmedCommit.key)
        } catch {
            throw SettingsError.encodingFailed(key: UnconfirmedCommit.key, isSecret: false, error)
        }
        stage(joined.changes.isEmpty ? nil : joined, author: author)
    }

    /// The settings that the transaction has written and that are stored.
    private var writtenSlots: [SettingSlot] {
        (transaction?.boxes ?? []).compactMap(\.existingPlacement?.slot).filter { $0.schedule != nil }
    }

    /// Returns the value stored for a setting before the transaction, under any spelling.
    private func storedBefore(_ slot: SettingSlot) throws -> SettingValue? {
        let found = log.lock.withLock {
            let spelling = log.stored.storedSpellings(of: slot).first
            return FoundKey(
                stored: FoundValue(log.stored.tree[slot.key] ?? spelling.flatMap { log.stored.tree[$0] }),
                unsaved: log.unsavedValues(at: slot.key, inTransaction: false))
        }
        return try found.stored(at: slot.key)
    }

    private func checkUnconfirmed(_ key: SettingKey, secrets: Set<SettingKey>) throws(SettingsError) {
        let (isSecret, owned) = log.lock.withLock {
            (log.stored.isSecret(key), log.stored.slots.owned(at: key))
        }
        if isSecret || secrets.contains(where: { $0 == key || $0.isWithin(key) || key.isWithin($0) }) {
            throw .unconfirmable(key, "a secret, whose old value must not be kept", rule: "no secret")
        }
        if let owned {
            throw .unconfirmable(
                owned.key, "\(owned.declaration ?? "owner-only"), which only code that has its group may write",
                rule: "a setting that others may revert")
        }
    }

    private func stage(_ commit: UnconfirmedCommit?, author: String?, for reason: String? = nil) {
        let keys = writtenSlots.map(\.key)
        transaction?.note.unconfirmed = UnconfirmedWrite(commit, keys: keys, author: author, reason: reason)
    }

    // MARK: Ending

    /// Lets the unconfirmed commit stand.
    func confirm(author: String?) async throws {
        try await commit(author: author) {
            guard let commit = unconfirmed else { throw noneUnconfirmed }
            guard !commit.isDue(at: time.moment()) else { throw SettingsError.confirmedTooLate(commit) }
            stage(nil, author: author, for: "confirmed")
        }
    }

    /// Takes back the unconfirmed commit.
    ///
    /// - Throws: Also if a value can't be put back, and nothing has changed then.
    func revert(author: String?) async throws -> UndoResult {
        let reverted = try await revert(author: author) { commit, token in
            let reason = "reverted before it was confirmed"
            let result = try takeBack(commit.changes, of: token, force: false)
            stage(nil, author: author, for: reason)
            return result
        }
        guard let reverted else { throw noneUnconfirmed }
        return reverted
    }

    /// Takes back the unconfirmed commit if its time is over. Values that can no longer be put back stay and are
    /// reported: nothing else must depend on them.
    func revertUnconfirmedIfDue() async throws {
        _ = try await revert(author: nil) { commit, token in
            guard commit.isDue(at: time.moment()) else { return nil }
            let result = try takeBack(
                commit.changes, of: token, force: false, failing: { self.reportAfterUnlock($0) })
            stage(nil, author: nil, for: "not confirmed within \(commit.length.inWords)")
            return result
        }
    }

    private func revert(
        author: String?, _ body: (UnconfirmedCommit, ChangeToken?) throws -> UndoResult?
    ) async throws -> UndoResult? {
        let token = LockedValue<ChangeToken?>(nil)
        let prepare: Persister.Preparation = { persister in
            let found = await persister.history.unconfirmedCommit()
            token.withLock { $0 = found }
        }
        let committed = try await commit(author: author, preparing: prepare) { () throws -> UndoResult? in
            // Others may have confirmed it, or taken it back.
            guard let commit = unconfirmed else { return nil }
            return try body(commit, token.withLock { $0 })
        }
        var result = committed.result
        if let revision = committed.revision { result?.token = log.lock.withLock { log.changes.token(of: revision) } }
        return result
    }

    /// Takes back a commit that is due, or measures the rest of its time by the clock of this boot, before the store is
    /// used. A failure is reported, and the persister tries again.
    func settleUnconfirmed() async {
        guard persister.takesBack, let commit = unconfirmed else { return }
        let moment = time.moment()
        do {
            if commit.isDue(at: moment) {
                try await revertUnconfirmedIfDue()
            } else if !moment.boot.isEmpty, !commit.isSameBoot(as: moment) {
                try await self.commit(author: nil) {
                    let moment = time.moment()
                    guard let commit = unconfirmed, !commit.isSameBoot(as: moment) else { return }
                    stage(commit.rebased(at: moment), author: nil, for: "its time limit continues after a restart")
                }
            }
        } catch {
            issueBoard.report(.unconfirmedStands(error))
        }
        // From now on it waits for the deadline.
        persister.changesArrived()
    }
}

extension Duration {
    /// A text such as `5 minutes`.
    package var inWords: String {
        let seconds = inSeconds
        let units = [("day", 86_400.0), ("hour", 3_600), ("minute", 60)]
        let (name, size) = units.first { seconds >= $0.1 && seconds.remainder(dividingBy: $0.1) == 0 } ?? ("second", 1)
        let count = (seconds / size * 1_000).rounded() / 1_000
        let text = Int(exactly: count).map { "\($0)" } ?? "\(count)"
        return "\(text) \(name)\(count == 1 ? "" : "s")"
    }
}
