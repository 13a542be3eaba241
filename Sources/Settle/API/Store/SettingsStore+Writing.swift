extension SettingsStore {
    /// Runs a transaction, like that of a group.
    ///
    /// The closure may write settings of any group of this store. Writes to other stores are transactions of their own,
    /// and stay even if this one is undone, which is then reported on ``issues``. Nest writes to several stores in the
    /// same order everywhere: two threads that nest them in opposite orders would deadlock, which ends the program with
    /// a message.
    ///
    /// - Throws: ``SettingsError`` if written values break their rules or are dates that are not finite, in which case
    ///   it names all of them, or if the store is closed.
    @discardableResult
    public func update<Result>(author: String? = nil, _ body: () -> Result) throws(SettingsError) -> Result {
        try open().transact(origin: .local, author: author, failing: { $0 }) { () throws(SettingsError) in body() }
    }

    /// Runs a transaction whose closure may throw, which undoes all its writes.
    ///
    /// - Throws: The closure's error; otherwise as the variant whose closure does not throw.
    @discardableResult
    public func update<Result>(author: String? = nil, _ body: () throws -> Result) throws -> Result {
        try open().transact(origin: .local, author: author, body)
    }

    /// Runs a transaction, and returns when it is on stable storage; see
    /// ``SettingsGroup/commit(author:confirmWithin:_:)-(_,_,()->Result)``.
    @discardableResult
    public func commit<Result: Sendable>(
        author: String? = nil, confirmWithin length: Duration? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        try await open().commit(author: author, confirming: CommitConfirmation(length: length), body)
    }

    /// Resets every setting that a group of this store declares to its default. Keys that no group declares are kept,
    /// and so are owner-only settings, see ``SettingsAccess/owner``, and locked ones. Values in the secret store stay,
    /// as with a reset of their group.
    ///
    /// - Throws: ``SettingsError`` if the store is closed, or if more values are stored than the storage can change at
    ///   once.
    public func reset(author: String? = nil) throws(SettingsError) {
        let core = try open()
        try core.transact(origin: .reset, author: author, failing: { $0 }) { () throws(SettingsError) in
            let boxes = core.log.lock.withLock {
                core.log.stored.slots.all.compactMap { $0.declaration == nil || $0.access == .owner ? nil : $0.box }
            }
            for box in boxes where box.isResettable { box.stageDefault() }
        }
    }

    /// Whether the calling thread is writing. For tests of what happens during a write.
    package var isHeldByCurrentWriter: Bool { core.writer.isHeldByCurrentThread }
}
