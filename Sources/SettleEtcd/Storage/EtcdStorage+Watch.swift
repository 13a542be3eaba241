public import Settle

/// Follows the changes of others: carries out the decisions of ``WatchMachine``.
extension EtcdStorage {
    /// Ends a stream from within.
    private struct StreamEnd: Error {
        var reason: String
    }

    public nonisolated func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        events.connect(handle)
        Task { await self.startFollowing() }
    }

    private func startFollowing() {
        guard phase != .closed, following == nil else { return }
        view.isWatched = true
        following = Task { [weak self] in
            while !Task.isCancelled, let delay = await self?.followOnce() {
                guard let time = self?.time, (try? await time.sleep(time.elapsed() + delay)) != nil else { return }
            }
        }
        // Report changes since the load.
        events.send(.mayHaveChanged)
    }

    /// Whether the stream delivers everything.
    var isFollowing: Bool { machine.state == .open }

    /// Follows one stream to its end.
    ///
    /// - Returns: The delay before the next one; `nil` once the storage is closed.
    private func followOnce() async -> Duration? {
        guard phase == .open else { return nil }
        machine.open(now: time.elapsed())
        let endpoint = await cluster.client.endpoint
        let reason = await stream()
        let remedy = machine.close()
        isInterrupted = true
        guard phase == .open, !Task.isCancelled else { return nil }
        switch remedy {
        case .none: break
        case .authenticate: await cluster.client.forgetStreamToken()
        case .read: _ = await readAnew()
        case .readAndReopen: if await readAnew(isForgotten: true) { return .zero }
        }
        await cluster.client.skip(endpoint)
        let delay = machine.failed(now: time.elapsed(), random: configuration.random())
        if machine.reportsFailure(of: configuration.endpoints.count) {
            events.send(.unavailable(space.unwatched(endpoint, because: reason)))
        }
        return delay
    }

    /// - Returns: The reason that the stream has ended.
    private func stream() async -> String {
        let body = WatchMachine.request(space, from: view.followed + 1)
        return await withTaskGroup(of: String.self) { group in
            group.addTask { [weak self, client = cluster.client] in
                let reason: String
                do throws(GatewayFailure) {
                    try await client.stream(EtcdPath.watch, body, headers: WatchMachine.headers) { [weak self] bytes in
                        guard let self else { throw StreamEnd(reason: "the storage is gone") }
                        try await self.received(bytes)
                    }
                    reason = "the stream has ended"
                } catch {
                    reason = error.reason
                }
                return await self?.ended() ?? reason
            }
            for check in StreamCheck.allCases {
                group.addTask { [weak self, time] in
                    while let due = await self?.due(check) {
                        guard (try? await time.sleep(due)) != nil else { break }
                        if let reason = await self?.run(check) { return reason }
                    }
                    return "the storage is closed"
                }
            }
            let reason = await group.next() ?? ""
            group.cancelAll()
            return reason
        }
    }

    /// - Returns: The reason that the stream has ended, if its last line gives one.
    private func ended() async -> String? {
        do {
            try await carryOut(machine.finish(now: time.elapsed()))
            return nil
        } catch {
            return error.reason
        }
    }

    private func received(_ bytes: [UInt8]) async throws {
        try await carryOut(machine.receive(bytes, now: time.elapsed()))
    }

    /// Carries out actions. Nothing is followed before the history is verified: the next bytes wait.
    private func carryOut(_ actions: [WatchMachine.Action]) async throws(StreamEnd) {
        for action in actions {
            switch action {
            case .opened(let header):
                guard header.cluster == view.mirror.cluster, header.revision >= view.reached else {
                    // Another cluster, an earlier state, or only a member that lags: a read shows which.
                    machine.end(.read)
                    throw StreamEnd(reason: "the member is behind, or of another cluster")
                }
                try await verifyStream()
                machine.accept()
                isInterrupted = !isFollowing
                if machine.reportsSuccess() || isStale { events.send(.available) }
            case .changed(let updates, _): if view.follow(updates) { signalNews() }
            case .compacted:
                throw StreamEnd(reason: "etcd no longer has the changes after revision \(view.followed)")
            case .ended(let reason, _): throw StreamEnd(reason: reason)
            }
        }
    }

    private func verifyStream() async throws(StreamEnd) {
        // The values of the local copy are read again by the next call, which is requested at once.
        guard !isStale else { return }
        do throws(StorageError) {
            try await turns.run { () throws(StorageError) in try await verifyHistory() }
        } catch {
            throw StreamEnd(reason: error.description)
        }
    }

    /// Reads the changes that the stream can no longer deliver.
    ///
    /// - Parameter isForgotten: Whether etcd has forgotten the revision at which the next stream would begin.
    /// - Returns: Whether the read succeeded.
    private func readAnew(isForgotten: Bool = false) async -> Bool {
        do {
            try await turns.run { () throws(StorageError) in
                let start = view.followed
                try await verifyHistory()
                try await refresh()
                // The next stream would be refused at once, too.
                if isForgotten, view.followed == start { view.skipForgotten() }
            }
        } catch {
            return false
        }
        events.send(.mayHaveChanged)
        return true
    }
}
