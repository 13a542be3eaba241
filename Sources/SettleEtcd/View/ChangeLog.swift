import Settle

/// The changes in a cluster that the store has not received yet, oldest first.
struct ChangeLog: Sendable {
    struct Entry: Sendable, Equatable {
        var revision: Int64
        var values: [SettingKey: SettingValue?]
        var author: String?
        var token: ChangeToken?
        /// Whether this storage made it.
        var isOwn: Bool
        /// The batch that made it.
        var batch: StorageBatch.ID?
        /// The reason that a value stored by others can't be used.
        var unusable: StorageError?
    }

    private var entries: [Entry] = []
    /// Whether another cluster, or an earlier state of this one, has replaced the one that the store knows.
    private(set) var isReplaced = false
    /// The last position that the store received.
    private(set) var told: Int64 = 0
    /// The revision of the newest change of others that the store received.
    private var newestTaken: Int64 = 0
    /// The batches for which the store does not know whether they were stored. It may have given up one of them, and
    /// left the next one open.
    private var open: Set<StorageBatch.ID> = []
    /// The revision of the oldest change that the store has not received.
    private(set) var firstNews: Int64?
    /// Whether the store was notified and has not fetched the changes yet.
    private var isSignalled = false

    /// Begins the log after the storage was loaded.
    mutating func begin(at revision: Int64) {
        self = ChangeLog()
        told = revision
    }

    /// Records that the store does not know whether a batch was stored: if it was, that is a change to report.
    mutating func leaveOpen(_ batch: StorageBatch.ID) {
        open.insert(batch)
        findFirstNews()
    }

    /// Records that the store learns from a receipt that the batch was stored, or that the batch can no longer be
    /// stored.
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

    /// Whether others have stored something that the store has not received.
    ///
    /// Undelivered changes are in the log, whatever their revision: the stream may deliver another client's change
    /// after a later transaction of our own.
    var hasNews: Bool { firstNews != nil }

    private func isNews(_ entry: Entry) -> Bool { !entry.isOwn || entry.batch.map(open.contains) == true }

    /// Returns whether others have stored something since the store was at a position. The store may have received it
    /// meanwhile: values that it read at that position are older.
    func hasChanged(since position: Int64) -> Bool { hasNews || newestTaken > position }

    /// - Returns: Whether to notify the store. If notified again, it would find nothing in the log and ask the cluster.
    mutating func signal() -> Bool {
        defer { isSignalled = true }
        return !isSignalled
    }

    /// Records that the store knows everything up to a revision.
    mutating func tell(upTo revision: Int64) {
        told = max(told, revision)
        entries = []
        findFirstNews()
    }

    /// - Parameter tree: All current values.
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
