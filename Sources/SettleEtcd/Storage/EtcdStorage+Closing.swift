import Settle

/// The end.
extension EtcdStorage {
    public func close() async {
        guard phase != .closed else { return }
        following?.cancel()
        await turns.enter()
        defer { turns.leave() }
        guard phase != .closed else { return }
        for name in locks.keys.sorted() { await release(name) }
        await removeMarker()
        phase = .closed
        handler.withLock { $0 = nil }
        await saveLocalCopy()
        await local?.close()
    }

    /// The marker of a client that will not come back is of no use, unless it alone tells that something was stored or
    /// deleted, or keeps a late request from landing. Then it goes with age; see `EtcdStorage+Audit.swift`.
    private func removeMarker() async {
        let (marker, revision) = mirror.marker(of: clientName)
        guard local == nil, doubt == nil, !mustKeepMarker, !isStale, marker?.session == session,
            !mirror.tree.root.isEmpty
        else { return }
        let key = space.key(KeySpace.marker(clientName))
        let request = TransactionRequest(
            comparisons: [Comparison(key: key, target: .modified(at: revision))], success: [.delete(key: key)])
        // If it stays, it takes a hundred bytes.
        _ = try? await client.call(EtcdPath.transaction, request.json, mayRepeat: true)
    }
}
