#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An async sequence of the transactions that a storage remembers, newest first; see
/// ``SettingsStore/History/entries(of:since:limit:)``. It reads them as it goes.
public struct HistoryEntries: AsyncSequence, Sendable {
    public typealias Element = HistoryEntry
    /// Every error is a ``SettingsError``. That type as the `Failure` crashes the compiler (Swift 6.3) at
    /// `entries.first { … }` within `do` and `catch`, as any concrete type does.
    public typealias Failure = any Error

    /// Keeps the store open.
    let keeper: StoreKeeper
    let keys: [SettingKey]?
    let date: Date?
    let limit: Int

    public func makeAsyncIterator() -> Iterator {
        Iterator(entries: self, left: limit)
    }

    /// One loop's iterator.
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

        public mutating func next() async throws -> HistoryEntry? {
            try await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> HistoryEntry? {
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
            let past: [HistoryTransaction]
            do {
                past = try await entries.keeper.core.persister.historyPage(before: place)
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
