public import Settle

/// What came before: etcd's revisions, read window by window, from the newest back.
///
/// No key is written for it, and nothing is read before somebody asks. What was read stays with the newest
/// transactions, as many as the policy shows. If a read fails, what was known before stays known, and the next call
/// tries again.
extension EtcdStorage {
    /// Those that etcd still has, as far as the policy shows them. What etcd has compacted is what came before the
    /// beginning.
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
                guard let page = view.recent.page(before: token, limit: max(1, limit), now: time.now()) else {
                    throw space.anotherHistory(token)
                }
                if page.isEnough { return page.records }
                try await readEarlier(atLeast: max(Self.pageSize, limit))
            }
        }
    }

    /// How many transactions are read at least, however few are asked for.
    private static let pageSize = 64

    /// What a window of revisions has.
    private enum WindowContents {
        case found([StoredRecord], after: ChangeToken)
        case tooMuch(upTo: Int64)
        case compacted(upTo: Int64)
    }

    /// Puts what came before in front of the known history: some transactions, or all that there are.
    ///
    /// Requires the turn.
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

    /// Puts what was read in front of what is known, unless the stream has brought so much meanwhile that its oldest
    /// part was dropped. Nothing at all is the end, so that nobody looks for more.
    private func put(
        _ records: [StoredRecord], after token: ChangeToken, before beginning: ChangeToken, isWhole: Bool = true
    ) {
        guard view.recent.beginning == beginning else { return }
        view.recent.prepend(records, after: token, isWhole: isWhole || records.isEmpty)
    }

    /// - Parameter reading: What has to come until everything up to what is known was there.
    private func read(_ window: HistoryWindow, upTo reading: Reading) async throws(StorageError) -> WindowContents {
        let (start, end, space) = (window.start, window.end, space)
        guard let past = try await cluster.state(at: start, of: view.mirror.cluster) else {
            // Only a watch says how far.
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

/// How much is read at once of what came before.
struct HistoryBudget: Sendable {
    private var transactions = 0
    private var bytes = 0

    /// The revision that was too much; `nil` if none was.
    private(set) var exceededAt: Int64?

    mutating func take(_ update: Mirror.Update) {
        transactions += 1
        bytes += update.puts.reduce(0) { $0 + $1.key.count + $1.value.count }
        // A single one is never too much.
        let isTooMuch = transactions > 1 && (transactions > RecentHistory.limit || bytes > RecentHistory.sizeLimit)
        if isTooMuch { exceededAt = exceededAt ?? update.revision }
    }
}
