import Settle

/// What has happened in a cluster that the store has not been told yet, oldest first.
struct ChangeLog: Sendable {
    struct Entry: Sendable, Equatable {
        var revision: Int64
        var values: [SettingKey: SettingValue?]
        var author: String?
        var token: ChangeToken?
        /// Whether this storage has made it.
        var isOwn: Bool
        /// With which batch.
        var batch: StorageBatch.ID?
        /// Why a value that others have stored can't be used.
        var unusable: StorageError?
    }

    private var entries: [Entry] = []
    /// Another cluster, or an earlier state of this one, has taken the place of what the store knows.
    private(set) var isReplaced = false
    /// The last position that the store was given.
    private(set) var told: Int64 = 0
    /// The revision of the newest thing of others that the store was told.
    private var newestTaken: Int64 = 0
    /// The batches of which the store does not know whether they were stored. It may have given up one of them, and
    /// left the next one open.
    private var open: Set<StorageBatch.ID> = []
    /// The revision of the oldest thing that the store has not been told.
    private(set) var firstNews: Int64?
    /// Whether the store was called and has not come yet.
    private var isSignalled = false

    /// The storage was loaded.
    mutating func begin(at revision: Int64) {
        self = ChangeLog()
        told = revision
    }

    /// The store does not know whether a batch was stored: if it was, that is news.
    mutating func leaveOpen(_ batch: StorageBatch.ID) {
        open.insert(batch)
        findFirstNews()
    }

    /// The store is told with a receipt that it was stored, or it can't be stored any more.
    mutating func settle(_ batch: StorageBatch.ID) {
        if open.remove(batch) != nil { findFirstNews() }
    }

    private mutating func findFirstNews() {
        firstNews = isReplaced ? .min : entries.lazy.filter(isNews).map(\.revision).min()
    }

    mutating func add(_ entry: Entry) {
        guard !entry.values.isEmpty || entry.unusable != nil else { return }
        entries.append(entry)
        if isNews(entry) { firstNews = min(firstNews ?? .max, entry.revision) }
    }

    mutating func replaceAll() {
        entries = []
        isReplaced = true
        findFirstNews()
    }

    /// Whether others have stored something that the store was not told.
    ///
    /// What is not told is in the log, whatever its revision: the stream may bring what another has done before an own
    /// transaction after it.
    var hasNews: Bool { firstNews != nil }

    private func isNews(_ entry: Entry) -> Bool { !entry.isOwn || entry.batch.map(open.contains) == true }

    /// Whether others have stored something since the store was at a position. The store may have been told meanwhile:
    /// what it has read at that position was before.
    func hasChanged(since position: Int64) -> Bool { hasNews || newestTaken > position }

    /// - Returns: Whether to call the store. Called once more, it would find nothing in the log, and ask the cluster.
    mutating func signal() -> Bool {
        defer { isSignalled = true }
        return !isSignalled
    }

    /// The store knows everything up to a revision.
    mutating func tell(upTo revision: Int64) {
        told = max(told, revision)
        entries = []
        findFirstNews()
    }

    /// - Parameter tree: Everything as it is now.
    mutating func take(at revision: Int64, tree: @autoclosure () -> SettingTree) -> [ExternalChange] {
        let newest = entries.filter(isNews).map(\.revision).max() ?? 0
        newestTaken = isReplaced ? revision : max(newestTaken, newest)
        defer {
            for case let batch? in entries.lazy.filter(\.isOwn).map(\.batch) { open.remove(batch) }
            entries = []
            told = revision
            isReplaced = false
            isSignalled = false
            firstNews = nil
        }
        if isReplaced { return [ExternalChange(.everything(tree()))] }
        var changes: [ExternalChange] = []
        for entry in entries {
            if let error = entry.unusable, isNews(entry) { changes.append(ExternalChange(.unusable(error))) }
            guard !entry.values.isEmpty else { continue }
            let change = ExternalChange(
                .values(entry.values), author: entry.author, token: entry.token, batch: entry.isOwn ? entry.batch : nil)
            changes.add(change, isOwn: !isNews(entry))
        }
        return changes
    }
}
