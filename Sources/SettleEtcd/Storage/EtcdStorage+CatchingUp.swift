import Settle

/// Brings what a read has shown to be new, revision by revision: through the stream of changes, or through one of its
/// own.
///
/// A read of what has changed merges several revisions into one, and has nothing of what was deleted. So it only tells
/// how far to follow. What etcd has forgotten, and what no member sends, is taken over as a difference.
extension EtcdStorage {
    /// Brings the view up to date, with one read of what has changed.
    func refresh() async throws(StorageError) {
        let known = view.mirror.revision
        let (header, range) = try await cluster.read(space.all(after: known))
        if try await checkIdentity(header, since: known) { return }
        try await absorb(range, header)
    }

    /// Brings what a read of what has changed since the mirror's revision, or since an earlier one, has shown.
    ///
    /// Requires the turn.
    func absorb(_ range: RangeAnswer, _ header: GatewayHeader) async throws(StorageError) {
        // Otherwise the stream was faster.
        guard let reading = view.news(in: range, at: header.revision) else { return }
        if await catchUp(to: reading) { return view.advance(to: header.revision) }
        guard header.revision >= view.mirror.revision else { return }
        var deleted: [[UInt8]] = []
        if view.mirror.lacksDeletions(of: range) {
            let all = try await cluster.read(space.all(at: header.revision, keysOnly: true)).range
            deleted = view.mirror.missing(in: all.pairs.map(\.key))
            // The stream was faster.
            guard header.revision >= view.mirror.revision else { return }
        }
        view.takeDifference(range.pairs, deleted: deleted, at: header.revision)
    }

    /// Follows what a read has shown.
    ///
    /// - Returns: Whether all of it is known now.
    func catchUp(to reading: Reading) async -> Bool {
        await waitForStream(to: reading)
        if hasReached(reading) { return true }
        let history = await updates(over: view.mirror, after: view.followed, upTo: reading)
        if case .found(let updates) = history { view.follow(updates) }
        return hasReached(reading)
    }

    private func hasReached(_ reading: Reading) -> Bool {
        reading.isReached(by: view.followed, count: view.mirror.count)
    }

    /// Waits until the stream has brought what a read has shown, or has ended. For some time: then a stream to another
    /// member may be faster.
    private func waitForStream(to reading: Reading) async {
        guard isFollowing, !hasReached(reading) else { return }
        let due = time.elapsed() + configuration.deadline / 4
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        awaited = continuation
        let timer = Task { [time] in
            try? await time.sleep(due)
            continuation.finish()
        }
        defer {
            timer.cancel()
            awaited = nil
        }
        for await _ in signals where !isFollowing || hasReached(reading) { break }
    }
}
