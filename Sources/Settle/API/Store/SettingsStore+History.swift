#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore {
    /// What has been stored, newest first: who has changed what, and when.
    ///
    /// ```swift
    /// for try await entry in store.history(of: "passcode", limit: 20) {
    ///     print(entry)
    /// }
    /// ```
    ///
    /// All processes that share the storage, and edits of the file by hand, have one history, as far as it is kept; see
    /// ``Configuration/history``. It tells what has been appended: what waits to be saved is not in it yet. Secrets are
    /// told without their values. The sequence throws ``SettingsError`` with the code
    /// ``SettingsError/Code/historyUnavailable`` if no history is kept, and ends when its task is cancelled.
    ///
    /// - Parameters:
    ///   - key: Tells only of transactions that have changed this key, a key within it, or a dictionary around it, and
    ///     of those only this part. Transactions of which it is not known what they have changed are told, too. `nil`:
    ///     all.
    ///   - date: Leaves out what is older.
    ///   - limit: How many entries to tell at most. `nil`: all.
    public func history(of key: String? = nil, since date: Date? = nil, limit: Int? = nil) -> HistoryEntries {
        let keys = key.map { core.storedKeys(for: SettingKey(stored: $0)) }
        return HistoryEntries(keeper: keeper, keys: keys, date: date, limit: limit ?? .max)
    }

    /// What the application's domain had stored at a place in the history, without secrets.
    ///
    /// It is computed from what is stored now, by taking back what has come since. What waits to be saved has no part in
    /// it.
    ///
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/historyUnavailable`` if that is not known: the place is not
    ///   of this history or not kept any more, or a transaction has come since of which it is not known what it has
    ///   changed.
    public func values(at token: ChangeToken) async throws -> SettingTree {
        try await open().persister.values(at: token)
    }

    /// Removes all values of a key, and of those within it, from the history: also from what is kept of it on the disk,
    /// and from the journal.
    ///
    /// What is stored stays. Everything that has been written is saved first, as by ``flush(toFile:)``. The version of the
    /// file before the last save is no history and may still have the values; ``eraseEarlierValues()`` removes that. The
    /// key's next change tells again what it replaces, so change it first if that must not be told.
    ///
    /// - Throws: ``SettingsError`` if saving or removing failed; the values may still be there then.
    public func forgetHistory(of key: String) async throws {
        let core = try open()
        try await core.persister.flushToFile()
        try await core.persister.forgetHistory(of: core.storedKeys(for: SettingKey(stored: key)))
    }
}
