import Settle

/// Brings in, revision by revision, the changes that a read has revealed: through the stream of changes, or through a
/// separate stream.
///
/// A read of changed keys merges several revisions into one and lacks deletions. So it only shows how far to follow.
/// Changes that etcd has forgotten, or that no member sends, are taken over as a difference.
extension EtcdStorage {
    /// Brings the view up to date, with one read of changed keys.
    func refresh() async throws(StorageError) {
        let known = view.reached
        let (header, range) = try await cluster.read(space.all(after: view.mirror.revision))
        if try await checkIdentity(header, since: known) { return }
        try await absorb(range, header)
    }

    /// Brings in the changes revealed by a read of the keys changed since the mirror's revision, or since an earlier
    /// one.
    ///
    /// Call only at the head of the queue.
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

    /// Follows the changes that a read has revealed.
    ///
    /// - Returns: Whether all of them are now known.
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

    /// Waits until the stream has delivered the changes that a read has revealed, or has ended. The wait is limited:
    /// after that, a stream to another member may be faster.
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
