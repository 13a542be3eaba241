#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore {
    /// The history of the stored values and their authors.
    public var history: History { History(store: self) }

    /// The transactions of all processes that a store's storage remembers, with their authors.
    ///
    /// A view without state of its own; it keeps the store open.
    public struct History: Sendable {
        let store: SettingsStore
    }
}

extension SettingsStore.History {
    /// Returns the stored transactions, newest first: who changed what, and when.
    ///
    /// ```swift
    /// for try await entry in store.history.entries(of: "passcode", limit: 20) {
    ///     print(entry)
    /// }
    /// ```
    ///
    /// All processes that share the storage, and edits of the file by hand, have one history, to the extent that it is
    /// kept; see ``SettingsStore/Configuration/history``. It has the transactions that have been appended: writes that
    /// wait to be saved are not in it yet. Secrets are reported without their values. The sequence throws
    /// ``SettingsError`` with the code ``SettingsError/Code/historyUnavailable`` without a history, and ends when
    /// its task is cancelled.
    ///
    /// - Parameters:
    ///   - key: Reports only transactions that have changed this key, a key within it, or a dictionary around it, and
    ///     only this part of them. Transactions whose changes are not known are reported, too. `nil`: all.
    ///   - date: Leaves out older transactions.
    ///   - limit: The maximum number of entries to report. `nil`: all.
    public func entries(of key: SettingKey? = nil, since date: Date? = nil, limit: Int? = nil) -> HistoryEntries {
        let keys = key.map { store.core.storedKeys(for: $0) }
        return HistoryEntries(keeper: store.keeper, keys: keys, date: date, limit: limit ?? .max)
    }

    /// Returns the transactions that have changed one of some keys, newest first: exactly these keys, not other
    /// spellings of them. `nil`: all.
    package func entries(at keys: [SettingKey]?, limit: Int) -> HistoryEntries {
        HistoryEntries(keeper: store.keeper, keys: keys, date: nil, limit: limit)
    }

    /// Returns the values that the application's domain had stored at a token, without the secrets that this store's
    /// groups declare and those that other processes have declared while history was enabled.
    ///
    /// They are computed from the values stored now, by taking back the changes since. Writes that wait to be saved are
    /// not included.
    ///
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/historyUnavailable`` if they are not known: the token is
    ///   not of this history or is no longer kept, or the changes of a later transaction are not known.
    public func values(at token: ChangeToken) async throws -> SettingTree {
        try await store.open().persister.values(at: token)
    }

    /// Returns the stored values, and the transactions that have led to them, newest first. Unlike an entry, tree and
    /// mutations include the values beside the settings, so that taking the mutations back gives a whole file. Secrets
    /// are in the tree.
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

    /// Removes all values of a key, and of the keys within it, from the history, including the journal on the disk.
    ///
    /// The stored value stays. Everything that has been written is saved first, as by ``SettingsStore/File/flush()``.
    /// The version of the file before the last save is not part of the history and may still have the values;
    /// ``SettingsStore/File/eraseEarlierValues()`` removes that version. The key's next change records the value that
    /// it replaces, so change the key first if that value must not be reported.
    ///
    /// - Returns: The number of transactions of the history that have changed the key, one within it, or a dictionary
    ///   around it. 0 without a history.
    /// - Throws: ``SettingsError`` if saving or removing failed; the values may still be there then.
    @discardableResult
    public func forget(_ key: some SettingKeyConvertible) async throws -> Int {
        let core = try store.open()
        try await core.persister.flushToFile()
        let key = SettingKey(given: key)
        var places = core.storedKeys(for: key)
        var count = 0
        do {
            var changed: Set<SettingKey> = []
            for try await entry in entries(of: key) where !entry.changes.isEmpty {
                count += 1
                changed.formUnion(entry.changes.map { SettingKey(stored: $0.key) })
            }
            // A group has a spelling for each setting, and forgetting one may rewrite the journal.
            places =
                places.prefix(1)
                + places.dropFirst().filter { place in changed.contains { $0 == place || $0.isWithin(place) } }
        } catch let error as SettingsError where error.code == .historyUnavailable {}
        try await core.persister.forgetHistory(of: places + [UnconfirmedCommit.key])
        return count
    }

    /// Delivers everything that has been stored after a token, and everything that will be: across restarts, and by all
    /// processes; see ``ResumedChanges``.
    ///
    /// - Parameters:
    ///   - token: The last token that the subscriber has seen, such as the ``Change/token`` of a change or ``token``.
    ///     `nil` to begin with a snapshot of all values.
    ///   - durableOnly: Whether to deliver a change only once it is on stable storage; by default, once it survives the
    ///     end of this process.
    public func changes(after token: ChangeToken?, durableOnly: Bool = false) -> ResumedChanges {
        store.log.beginFollowing()
        return ResumedChanges(of: store.core, on: store.log.root, after: token, durableOnly: durableOnly)
    }

    /// Returns the position of a follower after a token, for a loop that also waits for other events, with a
    /// ``ContentWatch`` that includes the history. The cursor does not keep the store open.
    ///
    /// - Parameter token: As in ``changes(after:durableOnly:)``.
    package func cursor(after token: ChangeToken?) -> HistoryCursor {
        store.log.beginFollowing()
        return HistoryCursor(on: store.log.root, of: store.core, after: token, durableOnly: false)
    }

    /// The token of the newest transaction in the history of the file, or of another storage, that the store's values
    /// include; `nil` if there is none, such as for a file that has never been written. Writes of this store that are
    /// not appended yet come after it. Read it before the values, to write later on the basis of them; see
    /// ``SettingsStore/commit(ifUnchangedSince:keys:author:confirmWithin:_:)``.
    public var token: ChangeToken? { store.core.persister.token }
}
