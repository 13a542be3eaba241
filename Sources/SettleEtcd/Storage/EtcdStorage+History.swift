public import Settle

/// etcd keeps its history until it is asked to compact it, so a follower resumes where it was, also on another machine.
/// Earlier history is in `EtcdStorage+EarlierHistory.swift`.
extension EtcdStorage {
    public func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]? {
        let limit = max(1, limit)
        if !view.isUnsure(token), let found = view.recent.records(after: token, limit: limit),
            !found.isEmpty || isFollowing && view.landed.isEmpty
        {
            return found
        }
        return try await turns.run { () throws(StorageError) in
            defer { signalNews() }
            try await bringHistoryUpToDate()
            if view.isUnsure(token) { view.makeSure(by: try await state(at: token)) }
            if let found = view.recent.records(after: token, limit: limit) { return found }
            guard token.history == view.history, let end = view.recent.end, token.position < end.position else {
                return nil
            }
            return try await read(after: token, upTo: end, limit: limit)
        }
    }

    public nonisolated var token: ChangeToken? { newest.withLock { $0 } }

    /// Whether the policy keeps a history. If so, this storage shows the history that etcd has. No key is written for
    /// it.
    public nonisolated var keepsHistory: Bool { showsHistory.withLock { $0 } }

    /// Shows etcd's history as far as the policy allows, or no longer shows any. This applies to this storage alone.
    /// How long etcd keeps its history is a setting of the cluster, `--auto-compaction-retention`.
    public func keepHistory(_ policy: HistoryPolicy) {
        guard policy != .unchanged else { return }
        view.recent.policy = policy
        showsHistory.withLock { $0 = policy.isKept }
    }

    /// Withholds the values of keys from the reported history. The cluster has them until it compacts its history: give
    /// the prefix only to users who may read them.
    public func withhold(_ keys: [SettingKey]) { view.recent.withhold(keys) }

    /// Returns the withheld keys of this storage. The cluster does not know of any.
    public func withheldKeys() -> Set<SettingKey> { view.recent.secrets }

    /// Throws: no part of etcd's history can be removed alone.
    public func forgetHistory(of key: SettingKey) throws(StorageError) { throw space.unforgettable(key) }

    /// Makes sure that everything up to the end of the history is known.
    ///
    /// Call only at the head of the queue.
    func bringHistoryUpToDate() async throws(StorageError) {
        try checkOpen()
        try await connect()
        if !isFollowing || view.landed.isEmpty { try await refresh() }
        // Changes between own transactions are known when those are delivered.
        if let newest = view.landed.keys.max(), await !catchUp(to: Reading(revision: newest)) {
            throw space.notFollowed(upTo: newest)
        }
    }

    /// Returns all keys as they were at a token; `nil` if etcd has forgotten them.
    func state(at token: ChangeToken) async throws(StorageError) -> Mirror? {
        try await cluster.state(at: Int64(clamping: token.position), of: view.mirror.cluster)
    }

    /// Reads etcd's history between two tokens.
    private func read(
        after token: ChangeToken, upTo end: ChangeToken, limit: Int
    ) async throws(StorageError) -> [StoredRecord]? {
        let start = Int64(clamping: token.position)
        guard let past = try await state(at: token), view.token(at: start, in: past) == token else { return nil }
        let (reading, space) = (view.reading(upTo: end), space)
        let count = LockedValue(0)
        let history = await updates(over: past, after: start, upTo: reading) { updates in
            count.withLock { count in
                count += updates.count(where: space.hasTransaction)
                return count >= limit
            }
        }
        switch history {
        case .found(let updates): return view.records(updates, over: past, upTo: reading.revision, limit: limit)
        case .forgotten: return nil
        case .failed(let reason): throw space.unreadableHistory(after: start, because: reason)
        }
    }

    /// Reads the changes since a revision, until all of them are there or there are enough.
    ///
    /// - Parameters:
    ///   - past: All keys as they were.
    ///   - start: The revision up to which they were followed.
    func updates(
        over past: Mirror, after start: Int64, upTo reading: Reading,
        until isEnough: @escaping @Sendable ([Mirror.Update]) -> Bool = { _ in false }
    ) async -> ClusterHistory {
        if reading.isReached(by: start, count: past.count) { return .found([]) }
        let copy = LockedValue(past)
        return await cluster.history(after: start) { updates in
            if isEnough(updates) { return true }
            return copy.withLock { copy in
                for update in updates { _ = copy.apply(update) }
                return reading.isReached(by: updates.last?.revision ?? 0, count: copy.count)
            }
        }
    }
}
