extension SettingsStore {
    /// Runs a transaction, as that of a group does.
    ///
    /// The closure may write settings of any group of this store. Writes to other stores are transactions of their own, and stand
    /// even if this one is undone, which is then reported on ``issues``. Stores that are written inside each other must be so in the same order everywhere: two threads
    /// that do it in opposite orders would wait for each other for ever, which ends the program with a message.
    ///
    /// - Throws: ``SettingsError`` if written values break their rules, which names all of them, or if the store is closed.
    @discardableResult
    public func update<Result>(by writer: String? = nil, _ body: () -> Result) throws(SettingsError) -> Result {
        try open().transact(origin: .local, writer: writer, failing: { $0 }) { () throws(SettingsError) in body() }
    }

    /// Runs a transaction whose closure may throw, which undoes all that it has written.
    ///
    /// - Throws: What the closure throws; else as the form with a closure that throws nothing.
    @discardableResult
    public func update<Result>(by writer: String? = nil, _ body: () throws -> Result) throws -> Result {
        try open().transact(origin: .local, writer: writer, body)
    }

    /// Runs a transaction, and returns when it is on stable storage; see ``SettingsGroup/commit(by:_:)-(_,()->Result)``.
    @discardableResult
    public func commit<Result: Sendable>(
        by writer: String? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        try await open().commit(by: writer, body)
    }

    /// Puts every setting that a group of this store declares back to its default. Keys that no group declares are kept, and so
    /// are the settings of groups that are their owner's, see ``SettingsAccess/owner``.
    ///
    /// - Throws: ``SettingsError`` if the store is closed.
    public func reset(by writer: String? = nil) throws(SettingsError) {
        try open().reset(by: writer)
    }
}

extension SettingsStore {
    /// Whether the calling thread is writing. For tests of what happens while it does.
    package var isHeldByCurrentWriter: Bool { core.writer.isHeldByCurrentThread }

    /// Whether a subscriber of the top level waits. For tests that wait for that.
    package var hasParkedSubscriber: Bool { log.lock.withLock { log.root.waiters?.isEmpty == false } }
}

extension StoreCore {
    /// How many settings the store knows, declared or written by key. For tests of what it keeps.
    package var indexedSettingCount: Int { log.lock.withLock { log.slots.all.count } }
}
