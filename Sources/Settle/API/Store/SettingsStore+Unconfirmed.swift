#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore {
    /// The commit that is reverted unless it is confirmed in time; see ``commit(author:confirmWithin:_:)``.
    public var unconfirmed: Unconfirmed { Unconfirmed(store: self) }

    /// The committed change that is not confirmed yet.
    ///
    /// ```swift
    /// try await store.commit(confirmWithin: .seconds(300)) { network.port = 8443 }
    /// // … still reachable?
    /// try await store.unconfirmed.confirm()
    /// ```
    ///
    /// A view without state of its own; it keeps the store open. Commits of other processes count, too.
    public struct Unconfirmed: Sendable {
        let store: SettingsStore
    }

    /// A commit that is reverted unless it is confirmed in time, or several that have joined.
    public struct UnconfirmedChange: Sendable, Hashable {
        /// The keys that it has changed, sorted.
        public var keys: [String]
        /// The name given to the commit; `nil` without one.
        public var author: String?
        /// The wall time of the commit, by the clock of the process that made it.
        public var time: Date
        /// The total time that it may stand.
        public var duration: Duration
        /// The time that it may still stand; zero if it is about to be reverted.
        public var remaining: Duration
        /// The end of its time, by the wall clock as it is now. For display only: ``remaining`` is what counts.
        public var deadline: Date
    }
}

extension SettingsStore.Unconfirmed {
    /// The error if a record is stored that can't be read.
    package var problem: SettingsError? {
        let log = store.core.log
        return log.lock.withLock { log.unconfirmed.isUnreadable } ? .unreadableUnconfirmed : nil
    }

    /// The unconfirmed change; `nil` if there is none, or if its record can't be read, which ``SettingsStore/issues``
    /// reports. It contains neither values nor secrets.
    public var change: SettingsStore.UnconfirmedChange? {
        let (log, time) = (store.core.log, store.core.time)
        guard let commit = log.lock.withLock({ log.unconfirmed.current }) else { return nil }
        let moment = time.moment()
        let remaining = commit.remaining(at: moment)
        return SettingsStore.UnconfirmedChange(
            keys: commit.changes.map(\.key.description), author: commit.author,
            time: Date(timeIntervalSinceReferenceDate: commit.time), duration: commit.length, remaining: remaining,
            deadline: Date(timeIntervalSinceReferenceDate: moment.time + remaining.inSeconds))
    }

    /// Lets the change stand, and returns when that is on stable storage.
    ///
    /// - Parameter author: The name for the entry in the history.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/nothingUnconfirmed`` if there is nothing to confirm, or no
    ///   longer, because the time is over; ``SettingsError/Code/unusableValue`` if its record can't be read; and as
    ///   ``SettingsStore/commit(author:confirmWithin:_:)``.
    public func confirm(author: String? = nil) async throws {
        try await store.open().confirm(author: author)
    }

    /// Takes the change back now, and returns when that is on stable storage.
    ///
    /// Each key that still has the committed value gets back the value that was stored before. Keys that have changed
    /// since are left alone and returned as ``UndoResult/conflicts``. It is an undo in the history, with its
    /// ``HistoryEntry/reason``.
    ///
    /// - Parameter author: The name for the entry in the history.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/nothingUnconfirmed`` if nothing is unconfirmed, and
    ///   ``SettingsError/Code/unusableValue`` if its record can't be read. If a value can't be put back, because it
    ///   breaks its rule now or its key is locked: nothing has changed then. And as
    ///   ``SettingsStore/commit(author:confirmWithin:_:)``.
    @discardableResult
    public func revert(author: String? = nil) async throws -> UndoResult {
        try await store.open().revert(author: author)
    }
}

extension SettingsStore {
    /// Runs a commit of a program that knows the declarations of another one.
    ///
    /// - Parameters:
    ///   - condition: The token since which nothing must have been stored at some keys, if there is one.
    ///   - secrets: The keys that must not be in a commit that is to be confirmed.
    @discardableResult
    package func commit<Result: Sendable>(
        ifUnchangedSince condition: (token: ChangeToken, keys: [SettingKey])? = nil, author: String?,
        confirmWithin length: Duration?, secrets: Set<SettingKey>, _ body: () throws -> Result
    ) async throws -> Result {
        let confirmation = CommitConfirmation(length: length, secrets: secrets)
        guard let condition else { return try await open().commit(author: author, confirming: confirmation, body) }
        return try await open().commit(
            ifUnchangedSince: condition.token, keys: condition.keys, author: author, confirming: confirmation, body)
    }
}
