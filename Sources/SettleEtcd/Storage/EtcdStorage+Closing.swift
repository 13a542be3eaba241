import Settle

/// The end.
extension EtcdStorage {
    public func close() async {
        guard phase != .closed else { return }
        following?.cancel()
        await turns.enter()
        defer { turns.leave() }
        guard phase != .closed else { return }
        for name in locks.names { await release(name) }
        await removeMarker()
        phase = .closed
        handler.withLock { $0 = nil }
        await save()
        await local?.close()
    }

    /// The marker of a client that will not come back is of no use, unless it alone tells that something was stored or
    /// deleted, or keeps a late request from landing. Then it goes with age; see `EtcdStorage+Audit.swift`.
    private func removeMarker() async {
        let mirror = view.mirror
        let (marker, revision) = mirror.marker(of: view.clientName)
        guard local == nil, undecided == nil, !mustKeepMarker, !isStale, marker?.session == view.session,
            !mirror.tree.root.isEmpty
        else { return }
        let key = space.key(KeySpace.marker(view.clientName))
        // If it stays, it takes a hundred bytes.
        _ = try? await cluster.transact(
            TransactionRequest(
                comparisons: [Comparison(key: key, target: .modified(at: revision))], success: [.delete(key: key)]))
    }
}
