/// Commits that begin only if nothing has been stored since a place in the history.
extension SettingsStore {
    /// Runs a transaction, as ``commit(by:_:)`` does, but only if nothing has been stored since a token.
    ///
    /// For clients that write what they have read before: each passes the token of what it has read, and none
    /// overwrites what it has not seen.
    ///
    /// ```swift
    /// let (limit, token) = (settings.limit, store.token)
    /// …
    /// try await store.commit(ifUnchangedSince: token, keys: ["limit"], by: "alice") { settings.limit = limit + 1 }
    /// ```
    ///
    /// What others have stored counts, and what this store has: also writes that it has not saved yet, which no token
    /// stands for. They are appended first, so that the error can tell their place. Settings that are kept in memory,
    /// and other domains, have no part in it.
    ///
    /// - Parameters:
    ///   - token: The place in the history, such as ``token`` when the values were read.
    ///   - keys: The keys that must be unchanged, with everything within them. `nil`: all.
    ///   - author: The name for ``Change/author``.
    ///   - body: Writes the settings, these or others. It has not run if this throws a conflict.
    /// - Throws: ``SettingsError`` with the code ``SettingsError/Code/conflict`` if something has changed, which its
    ///   ``SettingsError/conflict`` tells, or if that is not known: the token is too old, or of another past. Otherwise
    ///   as ``commit(by:_:)``.
    @discardableResult
    public func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [String]? = nil, by author: String? = nil,
        _ body: () throws -> Result
    ) async throws -> Result {
        let core = try open()
        let keys = keys?.flatMap { core.storedKeys(for: SettingKey(stored: $0)) }
        return try await core.commit(ifUnchangedSince: token, keys: keys, by: author, body)
    }
}

extension SettingsGroup {
    /// Runs a transaction, as ``commit(by:_:)-(_,()->Result)`` does, but only if nothing has been stored since a token;
    /// see ``SettingsStore/commit(ifUnchangedSince:keys:by:_:)``.
    ///
    /// - Parameters:
    ///   - token: The place in the history, such as ``SettingsStore/token`` when the values were read.
    ///   - keys: The full keys that must be unchanged, such as `passcode.attemptCount`. `nil`: those of the group and of
    ///     the groups within it.
    ///   - author: The name for ``Change/author``.
    ///   - body: Writes the settings. It has not run if this throws a conflict.
    /// - Throws: As the commit of the store.
    @discardableResult
    public func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [String]? = nil, by author: String? = nil,
        _ body: () throws -> Result
    ) async throws -> Result {
        guard let store = try openStore() else { return try body() }
        let keys =
            keys.map { $0.map { SettingKey(stored: $0) } }
            ?? GroupLayout(self).settings.compactMap { $0.box.original.existingPlacement?.slot.key }
        return try await store.commit(
            ifUnchangedSince: token, keys: keys.flatMap(store.storedKeys), by: author, body)
    }

    /// The same, with the group as the closure's argument.
    @discardableResult
    public func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [String]? = nil, by author: String? = nil,
        _ body: (Self) throws -> Result
    ) async throws -> Result {
        try await commit(ifUnchangedSince: token, keys: keys, by: author) { try body(self) }
    }
}

extension StoreCore {
    fileprivate func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [SettingKey]?, by author: String?, _ body: () throws -> Result
    ) async throws -> Result {
        let seen = LockedValue<UInt64>(0)
        let prepare: Persister.Preparation = { [weak self] persister in
            guard let self else { return }
            // First what may be appended while the history is read.
            let (revision, conflict) = unappended(among: keys, since: nil)
            if let conflict { throw SettingsError.conflict(conflict) }
            try await persister.checkNothingStored(after: token, at: keys)
            seen.withLock { $0 = revision }
        }
        return try await commit(by: author, preparing: prepare) {
            if let conflict = unappended(among: keys, since: seen.withLock { $0 }).conflict {
                throw SettingsError.conflict(conflict)
            }
            return try body()
        }.result
    }

    /// The keys under which the value of a key may be stored: its place and, if it is declared, its other spellings.
    func storedKeys(for key: SettingKey) -> [SettingKey] {
        log.lock.withLock {
            let place = log.stored.resolved(key)
            guard let slot = log.stored.slots.declared(as: place) else { return [place] }
            return [slot.key] + log.stored.slots.otherSpellings(of: slot)
        }
    }

    /// What this store has published at, around or within some keys, or anywhere, and what has no place in the history
    /// yet.
    ///
    /// - Parameter revision: What was published later counts also if it has been appended already.
    /// - Returns: Also the newest revision.
    private func unappended(
        among keys: [SettingKey]?, since revision: UInt64?
    ) -> (revision: UInt64, conflict: CommitConflict?) {
        log.lock.withLock {
            let newest = log.changes.revision
            var slots = log.unappendedSlots
            if let revision, revision < newest { slots += log.slotsWritten(after: revision) }
            let changed = slots.filter { slot in
                keys?.contains { $0 == slot.key || $0.isWithin(slot.key) || slot.key.isWithin($0) } ?? true
            }
            guard let last = changed.max(by: { $0.lastRevision < $1.lastRevision }) else { return (newest, nil) }
            let name = log.changes.ring[last.lastRevision]?.details.author
            let conflict = CommitConflict(
                keys: Set(changed.map(\.key)).sorted().map(\.description), token: nil, author: .current.named(name))
            return (newest, conflict)
        }
    }
}

extension MutationLog {
    /// The settings whose newest values the storage does not have yet. What can't be encoded it will never have. Under
    /// the lock.
    fileprivate var unappendedSlots: [SettingSlot] {
        stored.slots.all.filter { slot in
            slot.schedule != nil && unsaved.isUnsaved(slot) && !unsaved.unencodable.contains { $0.slot === slot }
        }
    }

    /// The settings that this store's own transactions have written since a revision. Under the lock.
    fileprivate func slotsWritten(after revision: UInt64) -> [SettingSlot] {
        stored.slots.all.filter { slot in
            guard slot.schedule != nil, slot.lastRevision > revision else { return false }
            // What the log has forgotten may have been its own.
            if revision + 1 < changes.ring.oldest { return true }
            return (revision + 1...slot.lastRevision).contains { revision in
                changes.ring.isOwn(revision) && changes.ring.concerns(revision, slot)
            }
        }
    }
}
