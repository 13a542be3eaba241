public import Settle

/// The earlier history: etcd's revisions, read window by window, from the newest back.
///
/// No key is written for it, and nothing is read before it is requested. The transactions that were read stay with the
/// newest ones, as many as the policy shows. If a read fails, the transactions known before stay known, and the next
/// call tries again.
extension EtcdStorage {
    /// Returns the transactions that etcd still has, as far as the policy shows them. Transactions that etcd has
    /// compacted count as before the beginning.
    public func records(before token: ChangeToken?, limit: Int) async throws(StorageError) -> [StoredRecord] {
        guard view.recent.policy.isKept else {
            try checkOpen()
            return []
        }
        return try await turns.run { () throws(StorageError) in
            defer { signalNews() }
            try checkOpen()
            if token == nil || view.recent.beginning == nil { try await bringHistoryUpToDate() }
            if let beginning = view.recent.beginning, view.isUnsure(beginning) {
                view.makeSure(by: try await state(at: beginning))
            }
            if let token, token.history != view.history { throw space.anotherHistory(token) }
            while true {
                guard let page = view.recent.page(before: token, limit: max(1, limit), now: wallTime) else {
                    throw space.anotherHistory(token)
                }
                if page.isEnough { return page.records }
                try await readEarlier(atLeast: max(Self.pageSize, limit))
            }
        }
    }

    /// The minimum number of transactions read, however few are requested.
    private static let pageSize = 64

    /// The contents of a window of revisions.
    private enum WindowContents {
        case found([StoredRecord], after: ChangeToken)
        case tooMuch(upTo: Int64)
        case compacted(upTo: Int64)
    }

    /// Adds the earlier transactions to the front of the known history: at least this many, or all that there are.
    ///
    /// Call only at the head of the queue.
    private func readEarlier(atLeast count: Int) async throws(StorageError) {
        guard let beginning = view.recent.beginning, let reading = view.readingUpToRecent else { return }
        var window = HistoryWindow(before: Int64(clamping: beginning.position))
        while true {
            switch try await read(window, upTo: reading) {
            case .tooMuch(let revision): window.foundTooMuch(upTo: revision)
            case .compacted(let revision):
                guard window.wasCompacted(upTo: revision) else { return put([], after: beginning, before: beginning) }
            case .found(let records, let token):
                if records.count < count, window.foundTooFew(isAny: !records.isEmpty) { continue }
                return put(records, after: token, before: beginning, isWhole: window.isAtBeginning)
            }
        }
    }

    /// Adds the transactions that were read to the front of the known ones, unless the stream has meanwhile delivered
    /// so many that the oldest known ones were dropped. An empty result is the end, so that later calls do not search
    /// further.
    private func put(
        _ records: [StoredRecord], after token: ChangeToken, before beginning: ChangeToken, isWhole: Bool = true
    ) {
        guard view.recent.beginning == beginning else { return }
        view.recent.prepend(records, after: token, isWhole: isWhole || records.isEmpty)
    }

    /// - Parameter reading: The read that must be reached before everything up to the known history is there.
    private func read(_ window: HistoryWindow, upTo reading: Reading) async throws(StorageError) -> WindowContents {
        let (start, end, space) = (window.start, window.end, space)
        guard let past = try await cluster.state(at: start, of: view.mirror.cluster) else {
            // Only a watch shows how far.
            return try await part(from: start, of: cluster.history(after: start) { _ in true })
        }
        let budget = LockedValue(HistoryBudget())
        let history = await updates(over: past, after: start, upTo: reading) { updates in
            budget.withLock { budget in
                for update in updates where update.revision <= end && space.hasTransaction(update) {
                    budget.take(update)
                }
                return budget.exceededAt != nil
            }
        }
        guard case .found(let updates) = history else { return try part(from: start, of: history) }
        if let revision = budget.withLock({ $0.exceededAt }) { return .tooMuch(upTo: revision) }
        return .found(view.records(updates, over: past, upTo: end), after: view.token(at: start, in: past))
    }

    private func part(from start: Int64, of history: ClusterHistory) throws(StorageError) -> WindowContents {
        switch history {
        case .forgotten(let revision): return .compacted(upTo: revision)
        case .failed(let reason): throw space.unreadableHistory(after: start, because: reason)
        case .found: throw space.unreadableHistory(after: start, because: "a member has compacted it, another has not")
        }
    }
}

/// The limit for one read of earlier history.
struct HistoryBudget: Sendable {
    private var transactions = 0
    private var bytes = 0

    /// The revision that exceeded the limit; `nil` if none did.
    private(set) var exceededAt: Int64?

    mutating func take(_ update: Mirror.Update) {
        transactions += 1
        bytes += update.puts.reduce(0) { $0 + $1.key.count + $1.value.count }
        // A single transaction is never too much.
        let isTooMuch = transactions > 1 && (transactions > RecentHistory.limit || bytes > RecentHistory.sizeLimit)
        if isTooMuch { exceededAt = exceededAt ?? update.revision }
    }
}
