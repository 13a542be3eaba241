extension SettingsGroup {
    /// Runs a transaction, and returns when it is on stable storage.
    ///
    /// Commits are serialized, even with those of other processes: the storage stays locked from taking in external
    /// changes until it has the closure's writes. No write comes in between, so the closure sees the newest values and
    /// runs exactly once. Commits that arrive together share one write and one sync. The closure of an actor's method
    /// runs on the actor; any other may run on another thread than the caller's, which waits.
    ///
    /// - Throws: As `update`; ``SettingsError`` if the storage can't be locked, before the closure has run; and
    ///   ``SettingsError`` if saving fails. In that last case the values are published nevertheless, and the store
    ///   keeps trying to save them.
    @discardableResult
    public func commit<Result: Sendable>(
        by author: String? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        guard let engine else { return try body() }
        guard let store = engine as? StoreCore else { throw SettingsError.notOpened(Self.self) }
        return try await store.commit(by: author, body)
    }

    /// Runs a transaction, as ``commit(by:_:)-(_,()->Result)`` does, with the group as the closure's argument.
    @discardableResult
    public func commit<Result: Sendable>(
        by author: String? = nil, _ body: (Self) throws -> Result
    ) async throws -> Result {
        try await commit(by: author) { try body(self) }
    }
}
