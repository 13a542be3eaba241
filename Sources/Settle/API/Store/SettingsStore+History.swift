#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore {
    /// What was stored earlier, and by whom.
    public var history: History { History(store: self) }

    /// What a store's storage remembers: transactions of all processes, with their authors.
    ///
    /// A view without state of its own; it keeps the store open.
    public struct History: Sendable {
        let store: SettingsStore
    }
}

extension SettingsStore.History {
    /// What has been stored, newest first: who has changed what, and when.
    ///
    /// ```swift
    /// for try await entry in store.history.entries(of: "passcode", limit: 20) {
    ///     print(entry)
    /// }
    /// ```
    ///
    /// All processes that share the storage, and edits of the file by hand, have one history, as far as it is kept; see
    /// ``SettingsStore/Configuration/history``. It tells what has been appended: what waits to be saved is not in it
    /// yet. Secrets are told without their values. The sequence throws ``SettingsError`` with the code
    /// ``SettingsError/Code/historyUnavailable`` if no history is kept, and ends when its task is cancelled.
    ///
    /// - Parameters:
    ///   - key: Tells only of transactions that have changed this key, a key within it, or a dictionary around it, and
    ///     of those only this part. Transactions of which it is not known what they have changed are told, too. `nil`:
    ///     all.
    ///   - date: Leaves out what is older.
    ///   - limit: How many entries to tell at most. `nil`: all.
    public func entries(of key: SettingKey? = nil, since date: Date? = nil, limit: Int? = nil) -> HistoryEntries {
        let keys = key.map { store.core.storedKeys(for: $0) }
        return HistoryEntries(keeper: store.keeper, keys: keys, date: date, limit: limit ?? .max)
    }

    /// What the application's domain had stored at a place in the history, without secrets: those that this store's
    /// groups declare, and those that other processes have declared while a history was kept.
    ///
    /// It is computed from what is stored now, by taking back what has come since. What waits to be saved has no part
    /// in it.
    ///
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/historyUnavailable`` if that is not known: the place is
    ///   not of this history or not kept any more, or a transaction has come since of which it is not known what it has
    ///   changed.
    public func values(at token: ChangeToken) async throws -> SettingTree {
        try await store.open().persister.values(at: token)
    }

    /// What is stored, and the transactions that have led to it, newest first. Unlike an entry, tree and mutations
    /// include what stands beside the settings, so that taking the mutations back gives a whole file. Secrets are in
    /// the tree.
    package func stored() async throws(SettingsError) -> (
        tree: SettingTree, transactions: [(entry: HistoryEntry, mutations: [StoredMutation]?)]
    ) {
        let (tree, transactions) = try await store.open().persister.storedHistory()
        return (
            tree,
            transactions.map { token, transaction in
                var visible = transaction
                visible.mutations?.removeAll { MigrationRecord.has($0.key) }
                return (HistoryEntry((token, visible), at: nil), transaction.mutations)
            }
        )
    }

    /// Removes all values of a key, and of those within it, from the history: also from the journal on the disk.
    ///
    /// What is stored stays. Everything that has been written is saved first, as by ``SettingsStore/File/flush()``. The
    /// version of the file before the last save is no history and may still have the values;
    /// ``SettingsStore/File/eraseEarlierValues()`` removes that. The key's next change tells again what it replaces, so
    /// change it first if that must not be told.
    ///
    /// - Returns: How many transactions of the history have changed the key, one within it, or a dictionary around it.
    ///   0 where no history is kept.
    /// - Throws: ``SettingsError`` if saving or removing failed; the values may still be there then.
    @discardableResult
    public func forget(_ key: some SettingKeyConvertible) async throws -> Int {
        let core = try store.open()
        try await core.persister.flushToFile()
        let key = SettingKey(given: key)
        let count = try await transactionCount(of: key)
        try await core.persister.forgetHistory(of: core.storedKeys(for: key) + [UnconfirmedCommit.key])
        return count
    }

    private func transactionCount(of key: SettingKey) async throws -> Int {
        do {
            return try await entries(of: key).reduce(0) { $0 + ($1.changes.isEmpty ? 0 : 1) }
        } catch let error as SettingsError where error.code == .historyUnavailable {
            return 0
        }
    }

    /// Everything that has been stored after a place, and what will be: across restarts, and by all processes; see
    /// ``ResumedChanges``.
    ///
    /// - Parameters:
    ///   - token: What the subscriber has seen last, such as the ``Change/token`` of a change or
    ///     ``token``. `nil` to begin with a snapshot of all values.
    ///   - durableOnly: Whether to deliver a change only once it is on stable storage; by default, once it survives the
    ///     end of this process.
    public func changes(after token: ChangeToken?, durableOnly: Bool = false) -> ResumedChanges {
        store.log.beginFollowing()
        return ResumedChanges(of: store.core, on: store.log.root, after: token, durableOnly: durableOnly)
    }

    /// The place of the newest transaction in the history of the file, or of another storage, that the store's values
    /// have; `nil` if there is none, such as for a file that has never been written. What this store has written and
    /// not appended yet comes after it. Read it before the values, to write later what builds on them; see
    /// ``SettingsStore/commit(ifUnchangedSince:keys:author:confirmWithin:_:)``.
    public var token: ChangeToken? { store.core.persister.token }
}
