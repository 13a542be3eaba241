public import Settle

/// etcd keeps what happened, until it is told to compact it: so a follower goes on where it was, also on another machine.
extension EtcdStorage {
    public func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]? {
        let limit = max(1, limit)
        if !view.isUnsure(token), let found = view.recent.records(after: token, limit: limit),
            !found.isEmpty || isFollowing && view.landed.isEmpty
        {
            return found
        }
        return try await turns.run { () throws(StorageError) in
            try checkOpen()
            try await connect()
            defer { signalNews() }
            if !isFollowing || view.landed.isEmpty { try await refresh() }
            // What is between own transactions is known when they come back.
            if let newest = view.landed.keys.max(), await !catchUp(to: Reading(revision: newest)) {
                throw space.notFollowed(upTo: newest)
            }
            if view.isUnsure(token) { view.makeSure(by: try await state(at: token)) }
            if let found = view.recent.records(after: token, limit: limit) { return found }
            guard token.history == view.history, let end = view.recent.end, token.position < end.position else {
                return nil
            }
            return try await read(after: token, upTo: end, limit: limit)
        }
    }

    /// Those that this storage has followed, or fewer.
    public func records(before token: ChangeToken?, limit: Int) throws(StorageError) -> [StoredRecord] {
        try checkOpen()
        return view.recent.records(before: token, limit: max(1, limit))
    }

    public nonisolated var token: ChangeToken? { newest.withLock { $0 } }

    /// False: etcd keeps what each revision has changed, until it compacts it.
    public nonisolated var keepsHistory: Bool { false }

    /// Does nothing: how long etcd keeps its history is a setting of the cluster, `--auto-compaction-retention`.
    public func keepHistory(_ policy: HistoryPolicy) {}

    /// What is reported of the history has no values there. The cluster has them until it compacts its history: give the
    /// prefix to those only who may read them.
    public func withhold(_ keys: [SettingKey]) { view.recent.withhold(keys) }

    /// Those of this storage: the cluster knows of none.
    public func withheldKeys() -> Set<SettingKey> { view.recent.secrets }

    /// As ``withhold(_:)``, of what has been until now.
    public func forgetHistory(of key: SettingKey) { view.recent.forget(key) }

    /// All keys as they were at a token; `nil` if etcd has forgotten them.
    private func state(at token: ChangeToken) async throws(StorageError) -> Mirror? {
        try await cluster.state(at: Int64(clamping: token.position), of: view.mirror.cluster)
    }

    /// Reads what etcd has between two tokens.
    private func read(
        after token: ChangeToken, upTo end: ChangeToken, limit: Int
    ) async throws(StorageError) -> [StoredRecord]? {
        let start = Int64(clamping: token.position)
        guard let past = try await state(at: token), view.token(at: start, in: past) == token else { return nil }
        let (reading, space) = (view.reading(upTo: end), space)
        if reading.isReached(by: start, count: past.count) { return [] }
        let found = LockedValue((count: 0, copy: past))
        let history = await cluster.history(after: start) { updates in
            found.withLock { found in
                found.count += updates.count(where: space.hasTransaction)
                for update in updates { _ = found.copy.apply(update) }
                return found.count >= limit
                    || reading.isReached(by: updates.last?.revision ?? 0, count: found.copy.count)
            }
        }
        switch history {
        case .found(let updates): return view.records(updates, over: past, upTo: reading.revision, limit: limit)
        case .forgotten: return nil
        case .failed(let reason): throw space.unreadableHistory(after: start, because: reason)
        }
    }
}
