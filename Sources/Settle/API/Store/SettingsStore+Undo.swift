extension SettingsStore.History {
    /// Takes back a transaction of the history, regardless of who made it, and returns when that is on stable storage.
    ///
    /// Each key that is still as the transaction left it gets back the value that was stored before; a key that was not
    /// stored is removed again. Keys that have changed since are left alone and returned as ``UndoResult/conflicts``.
    /// All of it is one commit, which records in the history what it undoes. To redo, undo that commit.
    ///
    /// ```swift
    /// for try await entry in store.history.entries(of: "limit", limit: 1) {
    ///     let result = try await store.history.undo(entry.token, author: "bob")
    ///     print(result.keys, result.conflicts)
    /// }
    /// ```
    ///
    /// It affects the values that the application's domain stores, even if other domains cover them. Undoing a
    /// transaction that is undone already writes nothing, and returns all keys as conflicts.
    ///
    /// - Parameters:
    ///   - token: The token of the transaction, such as ``HistoryEntry/token``.
    ///   - force: Whether to put back even keys that have changed since.
    ///   - author: The name for ``Change/author``.
    /// - Throws: ``SettingsError``, in which case nothing has changed: with ``SettingsError/Code/historyUnavailable``
    ///   if the transaction is unknown, or no longer known. With ``SettingsError/Code/notUndoable`` if it has changed
    ///   an owner-only setting (``SettingsAccess/owner``) or a secret, if it was made before the newest migration or is
    ///   one, or if it stands for several transactions of which only the sum is known. If a value can no longer be
    ///   used, because it breaks its rule or does not convert. And as ``SettingsStore/commit(author:confirmWithin:_:)``
    ///   does.
    @discardableResult
    public func undo(
        _ token: ChangeToken, force: Bool = false, author: String? = nil
    ) async throws -> UndoResult {
        try await store.open().undo(.token(token), force: force, author: author)
    }

    /// Takes back the newest transaction that was made under a name, as ``undo(_:force:author:)`` does.
    ///
    /// Undos do not count, nor do transactions that have been undone and not redone: so each call that puts something
    /// back goes one step further back. If all keys of the transaction have changed since, nothing is written, and the
    /// next call finds the same transaction and the same ``UndoResult/conflicts``: continue with `force`, or with the
    /// token of an earlier one.
    @discardableResult
    public func undo(
        lastBy name: String, force: Bool = false, author: String? = nil
    ) async throws -> UndoResult {
        try await store.open().undo(.last(by: name), force: force, author: author)
    }

    /// Undoes a transaction, or else the newest one of an author, for code that knows the declarations of another
    /// program.
    ///
    /// - Parameter permit: Throws if a key must not be put back: then nothing has changed.
    package func undo(
        _ target: UndoTarget, force: Bool, author: String,
        permitting permit: @Sendable (SettingKey) throws -> Void
    ) async throws -> UndoResult {
        try await store.open().undo(target, force: force, author: author, permitting: permit)
    }
}
