import Settle

/// Brings what a read has shown to be new, revision by revision: through the stream of changes, or through one of its own.
///
/// A read of what has changed merges several revisions into one, and has nothing of what was deleted. So it only tells how
/// far to follow. What etcd has forgotten, and what no member sends, is taken over as a difference.
extension EtcdStorage {
    /// What a read has shown.
    struct Reading: Sendable {
        /// As of which revision it was.
        var revision: Int64
        /// The newest revision of a key in it.
        var newest = Int64.max
        /// How many keys there were.
        var count: Int64 = 0

        /// Whether all of it is known after everything up to a revision was followed. A deletion is at no key any more: the
        /// number of keys shows it.
        func isReached(by followed: Int64, count: Int64) -> Bool {
            followed >= revision || (followed >= newest && count == self.count)
        }
    }

    /// What etcd has of its past.
    enum Past: Sendable {
        case found([Mirror.Update])
        /// etcd has compacted it.
        case forgotten
        case failed(String)
    }

    /// Brings the mirror up to date, with one read of what has changed.
    func refresh() async throws(StorageError) {
        let known = mirror.revision
        let request = BatchPlan.news(of: mirror)
        let answer: GatewayObject
        do throws(GatewayFailure) {
            answer = try await client.call(EtcdPath.range, request.json, mayRepeat: true)
        } catch {
            throw storageError(error, "read")
        }
        let header = GatewayHeader(answer.object("header"))
        if try await checkIdentity(header, since: known) { return }
        try await absorb(RangeAnswer(answer), header)
    }

    /// Brings what a read of what has changed since the mirror's revision, or since an earlier one, has shown.
    ///
    /// Requires the turn.
    func absorb(_ range: RangeAnswer, _ header: GatewayHeader) async throws(StorageError) {
        // Otherwise the stream was faster.
        guard header.revision >= mirror.revision else { return }
        let newest = range.pairs.map(\.modRevision).max() ?? 0
        if newest <= mirror.revision, range.count == mirror.count { return advance(to: header.revision) }
        let reading = Reading(revision: header.revision, newest: newest, count: range.count)
        if await catchUp(to: reading) { return advance(to: header.revision) }
        guard header.revision >= mirror.revision else { return }
        try await takeDifference(range, header)
    }

    /// Follows what a read has shown.
    ///
    /// - Returns: Whether all of it is known now.
    @discardableResult
    func catchUp(to reading: Reading) async -> Bool {
        await waitForStream(to: reading)
        if reading.isReached(by: followed, count: mirror.count) { return true }
        let copy = LockedValue(mirror)
        let past = await readPast(after: followed) { updates in
            copy.withLock { copy in
                for update in updates { _ = copy.apply(update) }
                return reading.isReached(by: updates.last?.revision ?? 0, count: copy.count)
            }
        }
        if case .found(let updates) = past { follow(updates) }
        return reading.isReached(by: followed, count: mirror.count)
    }

    /// Waits until the stream has brought what a read has shown, or has ended. For some time: then a stream to another
    /// member may be faster.
    private func waitForStream(to reading: Reading) async {
        guard isFollowing, !reading.isReached(by: followed, count: mirror.count) else { return }
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
        for await _ in signals where !isFollowing || reading.isReached(by: followed, count: mirror.count) { break }
    }

    // MARK: Reading the past

    /// Reads whole revisions with a stream of its own, until a condition holds for what has come last.
    func readPast(
        after start: Int64, until isEnough: @escaping @Sendable ([Mirror.Update]) -> Bool
    ) async -> Past {
        let past = LockedValue<(updates: [Mirror.Update], outcome: Past?)>(([], nil))
        let machine = LockedValue(WatchMachine(delays: configuration.reconnectDelay))
        machine.withLock { $0.open() }
        let body = WatchMachine.request(space, from: start + 1)
        // The stream ends when it has brought enough, and that is no failure.
        let result = await Deadline.run(within: configuration.deadline, by: time) { [client] in
            try await client.stream(EtcdPath.watch, body, headers: WatchMachine.headers) { bytes in
                for action in machine.withLock({ $0.receive(bytes, now: .zero) }) {
                    let outcome: Past? = past.withLock { past in
                        switch action {
                        case .opened: break
                        case .changed(let updates, _):
                            past.updates += updates
                            if isEnough(updates) { past.outcome = .found(past.updates) }
                        case .compacted: past.outcome = .forgotten
                        case .ended(let reason, _): past.outcome = .failed(reason)
                        }
                        return past.outcome
                    }
                    if outcome != nil { throw Enough() }
                }
            }
        }
        if let outcome = past.withLock({ $0.outcome }) { return outcome }
        switch result {
        case .success: return .failed("the stream has ended")
        case .failure(let error as GatewayFailure): return .failed(error.reason)
        case .failure(let error): return .failed("\(error)")
        }
    }

    /// Ends a stream that has brought what was asked for.
    private struct Enough: Error {}

    // MARK: Differences

    /// Takes a read over although what led to it is not known: without places in the history.
    private func takeDifference(_ range: RangeAnswer, _ header: GatewayHeader) async throws(StorageError) {
        let created = range.pairs.filter { !mirror.has($0.key) }.count
        var deleted: [[UInt8]] = []
        if mirror.count + Int64(created) != range.count {
            let (key, end) = space.range
            let request = RangeRequest(key: key, end: end, revision: header.revision, keysOnly: true)
            do throws(GatewayFailure) {
                let answer = RangeAnswer(try await client.call(EtcdPath.range, request.json, mayRepeat: true))
                deleted = mirror.missing(in: answer.pairs.map(\.key))
            } catch {
                throw storageError(error, "read")
            }
            // The stream was faster.
            guard header.revision >= mirror.revision else { return }
        }
        let groups = Dictionary(grouping: range.pairs, by: \.modRevision).sorted { $0.key < $1.key }
        for (revision, pairs) in groups { apply(Mirror.Update(revision: revision, puts: pairs), isWhole: false) }
        if !deleted.isEmpty { apply(Mirror.Update(revision: header.revision, deletes: deleted), isWhole: false) }
        mirror.advance(to: header.revision)
        beginHistory(hasDeletions: !deleted.isEmpty)
        endLostLocks()
    }
}
