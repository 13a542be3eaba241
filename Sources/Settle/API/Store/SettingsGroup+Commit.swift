extension SettingsGroup {
    /// Runs a transaction, and returns when it is on stable storage.
    ///
    /// Commits are serialized, even with those of other processes: the storage stays locked from merging external
    /// changes until it has the closure's writes. No write comes in between, so the closure sees the newest values and
    /// runs exactly once. On a storage without such a lock, it runs again if others were faster, after random pauses
    /// that grow to at most 100 ms, until it has run 17 times and 10 s have passed. If a commit shares its write with
    /// one under a named lock that is lost, neither of them is stored, and the commit runs again. Commits that arrive
    /// together share one write and one sync. The closure of an actor's method runs on the actor; any other runs in
    /// another task, on another thread, while its caller waits: it sees neither the caller's task-local values nor
    /// `Task.isCancelled`.
    ///
    /// With `confirmWithin`, it is reverted unless ``SettingsStore/Unconfirmed/confirm(author:)`` is called in time:
    /// key by key where nothing was written after it, as one transaction, by a process that has the store open, or
    /// before the next opening returns. The time continues after the end of the process by the machine's continuous
    /// clock, and across a restart of the machine by its wall clock. A commit made while another one is unconfirmed
    /// joins it: both are reverted together, to the values stored before the first, when the time of the second is
    /// over.
    ///
    /// - Parameters:
    ///   - author: The name for ``Change/author``.
    ///   - length: The time that the commit stands without being confirmed; less than zero counts as zero. `nil`: for
    ///     good.
    ///   - body: Writes the settings. With `confirmWithin` it must write no secret and no owner-only setting
    ///     (``SettingsAccess/owner``): that throws ``SettingsError/Code/notUndoable``, and undoes everything.
    /// - Throws: As `update`; ``SettingsError`` if the storage can't be locked, before the closure has run; and
    ///   ``SettingsError`` if saving fails. Writes that were surely not stored, such as for lack of room, are undone
    ///   then. Writes that may have been stored, such as after a failed sync, stand, and the store keeps trying to save
    ///   them.
    @discardableResult
    public func commit<Result: Sendable>(
        author: String? = nil, confirmWithin length: Duration? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        guard let store = try openStore() else { return try body() }
        return try await store.commit(author: author, confirming: CommitConfirmation(length: length), body)
    }

    /// Returns the store that has the group; `nil` for a group without settings.
    func openStore() throws(SettingsError) -> StoreCore? {
        guard let engine else { return nil }
        guard let store = engine as? StoreCore else {
            throw engine.isUnopened ? .notOpened(Self.self) : .uncommittedDraft(Self.self)
        }
        return store
    }

    /// Runs a transaction, as ``commit(author:confirmWithin:_:)-(_,_,()->Result)`` does, with the group as the
    /// closure's argument.
    @discardableResult
    public func commit<Result: Sendable>(
        author: String? = nil, confirmWithin length: Duration? = nil, _ body: (Self) throws -> Result
    ) async throws -> Result {
        try await commit(author: author, confirmWithin: length) { try body(self) }
    }

    /// Runs a transaction, as ``commit(author:confirmWithin:_:)-(_,_,()->Result)`` does, but only if nothing has been
    /// stored since a token; see ``SettingsStore/commit(ifUnchangedSince:keys:author:confirmWithin:_:)``.
    ///
    /// - Parameters:
    ///   - token: The token in the history, such as ``SettingsStore/History/token`` when the values were read.
    ///   - keys: The full keys that must be unchanged, such as `passcode.attemptCount`. `nil`: those of the group and
    ///     of the groups within it.
    ///   - author: The name for ``Change/author``.
    ///   - length: As in ``commit(author:confirmWithin:_:)-(_,_,()->Result)``.
    ///   - body: Writes the settings. It has not run if this throws a conflict.
    /// - Throws: As the commit of the store.
    @discardableResult
    public func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [String]? = nil, author: String? = nil,
        confirmWithin length: Duration? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        guard let store = try openStore() else { return try body() }
        let keys =
            keys.map { $0.map { SettingKey(stored: $0) } }
            ?? GroupLayout(self).settings.compactMap { $0.box.original.existingPlacement?.slot.key }
        return try await store.commit(
            ifUnchangedSince: token, keys: keys, author: author, confirming: CommitConfirmation(length: length),
            body)
    }

    /// Runs the conditional transaction with the group as the closure's argument.
    @discardableResult
    public func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [String]? = nil, author: String? = nil,
        confirmWithin length: Duration? = nil, _ body: (Self) throws -> Result
    ) async throws -> Result {
        try await commit(ifUnchangedSince: token, keys: keys, author: author, confirmWithin: length) { try body(self) }
    }
}
