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
}

/// An async sequence of the transactions that a storage remembers, newest first; see
/// ``SettingsStore/history(of:since:limit:)``. It reads as it goes.
public struct HistoryEntries: AsyncSequence, Sendable {
    public typealias Element = HistoryEntry
    public typealias Failure = SettingsError

    /// Keeps the store open.
    fileprivate let keeper: StoreKeeper
    fileprivate let keys: [SettingKey]?
    fileprivate let date: Date?
    fileprivate let limit: Int

    public func makeAsyncIterator() -> Iterator {
        Iterator(entries: self, left: limit)
    }

    /// One loop's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let entries: HistoryEntries
        fileprivate var left: Int
        private var page: ArraySlice<HistoryEntry> = []
        /// The oldest transaction that has been read.
        private var place: ChangeToken?
        private var hasEnded = false

        fileprivate init(entries: HistoryEntries, left: Int) {
            self.entries = entries
            self.left = left
        }

        public mutating func next() async throws(SettingsError) -> HistoryEntry? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SettingsError) -> HistoryEntry? {
            while left > 0, !Task.isCancelled {
                if let entry = page.popFirst() {
                    left -= 1
                    return entry
                }
                guard !hasEnded else { break }
                try await read()
            }
            (page, hasEnded) = ([], true)
            return nil
        }

        private mutating func read() async throws(SettingsError) {
            let past: [Persister.PastTransaction]
            do {
                past = try await entries.keeper.core.persister.pastPage(before: place)
            } catch {
                hasEnded = true
                throw error
            }
            place = past.last?.token
            let earliest = entries.date?.timeIntervalSinceReferenceDate ?? -.infinity
            let recent = past.filter { $0.transaction.time >= earliest }
            // A clock may have been set back in between.
            hasEnded = recent.isEmpty
            page =
                recent.map { HistoryEntry($0, at: entries.keys) }.filter { entry in
                    entries.keys == nil || !entry.isKnown || !entry.changes.isEmpty
                }[...]
        }
    }
}
