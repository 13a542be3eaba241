/// Commits that begin only if nothing has been stored since a token.
extension SettingsStore {
    /// Runs a transaction, as ``commit(author:confirmWithin:_:)`` does, but only if nothing has been stored since a
    /// token.
    ///
    /// For clients that write values that they have read before: each passes the token of the values that it has read,
    /// and none overwrites values that it has not seen.
    ///
    /// ```swift
    /// guard let token = store.history.token else { … }         // before the value, so that this is not older
    /// let limit = settings.limit
    /// …
    /// try await store.commit(ifUnchangedSince: token, keys: ["limit"], author: "alice") { settings.limit = limit + 1 }
    /// ```
    ///
    /// Changes that others have stored count, and so do those of this store, including writes that it has not saved
    /// yet, for which no token stands. Such writes are appended first, so that the error can report their token.
    /// Settings with the policy ``SavePolicy/memoryOnly``, and other domains, are not considered.
    ///
    /// - Parameters:
    ///   - token: The token in the history, such as ``History/token`` when the values were read.
    ///   - keys: The keys that must be unchanged, with everything within them. `nil`: all.
    ///   - author: The name for ``Change/author``.
    ///   - length: As in ``commit(author:confirmWithin:_:)``.
    ///   - body: Writes the settings, these or others. It has not run if this throws a conflict.
    /// - Throws: ``SettingsError`` with the code ``SettingsError/Code/conflict`` if something has changed, which its
    ///   ``SettingsError/conflict`` reports, or if that is not known: the token is too old, or belongs to another
    ///   history. Otherwise as ``commit(author:confirmWithin:_:)``.
    @discardableResult
    public func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [String]? = nil, author: String? = nil,
        confirmWithin length: Duration? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        try await open().commit(
            ifUnchangedSince: token, keys: keys?.map { SettingKey(stored: $0) }, author: author,
            confirming: CommitConfirmation(length: length), body)
    }

    /// Throws a conflict if this store has changes that no token of the history includes yet. For the closure of a
    /// commit that builds on values which were read while there was no token: the commits of a group run one after the
    /// other before any of them is appended.
    ///
    /// - Parameter keys: The keys whose changes count, with everything around and within them. `nil`: all.
    /// - Throws: ``SettingsError`` with the code ``SettingsError/Code/conflict``.
    package func checkNothingUnappended(among keys: [String]?) throws(SettingsError) {
        try core.checkNothingUnappended(among: keys?.map { SettingKey(stored: $0) })
    }
}
