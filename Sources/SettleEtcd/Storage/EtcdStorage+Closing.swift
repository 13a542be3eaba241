import Settle

/// Closing.
extension EtcdStorage {
    public func close() async {
        guard phase != .closed else { return }
        following?.cancel()
        await turns.enter()
        defer { turns.leave() }
        guard phase != .closed else { return }
        for name in locks.names { await release(name) }
        await removeMarker()
        let hasValues = phase == .open
        phase = .closed
        events.disconnect()
        // After a failed load, the local copy still has what was last known.
        if hasValues { await save() }
        await local?.close()
    }

    /// Removes the marker. The marker of a client that will not come back is useless, unless it alone shows that
    /// something was stored or deleted, or keeps a late request from landing. Then it is removed by age; see
    /// `EtcdStorage+Audit.swift`.
    private func removeMarker() async {
        guard local == nil, undecided == nil, !mustKeepMarker, !isStale, let request = view.removalOfMarker else {
            return
        }
        // If it stays, it takes a hundred bytes.
        _ = try? await cluster.transact(request)
    }
}
