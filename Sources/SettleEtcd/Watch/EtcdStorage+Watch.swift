public import Settle

/// Follows what others store: carries out what ``WatchMachine`` decides.
extension EtcdStorage {
    /// Ends a stream from within.
    private struct StreamEnd: Error {
        var reason: String
    }

    public nonisolated func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        handler.withLock { $0 = handle }
        for error in untold.withLock({ errors in
            defer { errors = [] }
            return errors
        }) { handle(.issue(error)) }
        Task { await self.startFollowing() }
    }

    private func startFollowing() {
        guard phase != .closed, following == nil else { return }
        holdBackUntold()
        following = Task { [weak self] in
            while !Task.isCancelled, let delay = await self?.followOnce() {
                guard let time = self?.time, (try? await time.sleep(time.elapsed() + delay)) != nil else { return }
            }
        }
        // What has happened since the load.
        tell(.mayHaveChanged)
    }

    /// Follows one stream to its end.
    ///
    /// - Returns: How long to wait before the next one; `nil` once the storage is closed.
    private func followOnce() async -> Duration? {
        guard phase == .open else { return nil }
        machine.open()
        (mustRead, isForgotten, mustAuthenticate) = (false, false, false)
        heard = time.elapsed()
        let endpoint = await client.endpoint
        let reason = await stream()
        isFollowing = false
        guard phase == .open, !Task.isCancelled else { return nil }
        if mustAuthenticate { await client.forgetStreamToken() }
        // Not at once if the member is behind: it would say the same again.
        if mustRead, await readAnew(), isForgotten { return .zero }
        await client.skip(endpoint)
        let delay = machine.failed(now: time.elapsed(), random: configuration.random())
        reportUnreachable(endpoint, reason)
        return delay
    }

    /// - Returns: Why the stream has ended.
    private func stream() async -> String {
        let body = WatchMachine.request(space, from: followed + 1)
        return await withTaskGroup(of: String.self) { group in
            group.addTask { [weak self, client] in
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
            group.addTask { [weak self, time] in
                while let due = await self?.silenceEnds {
                    guard (try? await time.sleep(due)) != nil else { break }
                    if let reason = await self?.checkSilence() { return reason }
                }
                return "the storage is closed"
            }
            group.addTask { [weak self, time] in
                while let due = await self?.nextAudit {
                    guard (try? await time.sleep(due)) != nil else { break }
                    if let reason = await self?.audit() { return reason }
                }
                return "the storage is closed"
            }
            let reason = await group.next() ?? ""
            group.cancelAll()
            return reason
        }
    }

    /// - Returns: Why the stream has ended, if it has said so with its last line.
    private func ended() -> String? {
        do {
            try carryOut(machine.finish(now: time.elapsed()))
            return nil
        } catch {
            return error.reason
        }
    }

    private func received(_ bytes: [UInt8]) throws {
        heard = time.elapsed()
        try carryOut(machine.receive(bytes, now: heard))
    }

    private func carryOut(_ actions: [WatchMachine.Action]) throws(StreamEnd) {
        for action in actions {
            switch action {
            case .opened(let header):
                guard header.cluster == mirror.cluster, header.revision >= mirror.revision else {
                    // Another cluster, an earlier state, or only a member that lags: a read tells.
                    mustRead = true
                    throw StreamEnd(reason: "the member is behind, or of another cluster")
                }
                isFollowing = true
                guard isReportedUnreachable || isStale else { continue }
                isReportedUnreachable = false
                tell(.available)
            case .changed(let updates, _): if follow(updates), log.signal() { tell(.mayHaveChanged) }
            case .compacted:
                (mustRead, isForgotten) = (true, true)
                throw StreamEnd(reason: "etcd has forgotten what came after revision \(followed)")
            case .ended(let reason, let isUnauthenticated):
                if isUnauthenticated { mustAuthenticate = true }
                throw StreamEnd(reason: reason)
            }
        }
    }

    /// Reads what the stream can't bring any more.
    ///
    /// - Returns: Whether that has worked.
    private func readAnew() async -> Bool {
        do {
            try await turns.run { () throws(StorageError) in try await refresh() }
        } catch {
            return false
        }
        tell(.mayHaveChanged)
        return true
    }

    private func reportUnreachable(_ endpoint: String, _ reason: String) {
        guard machine.failureCount >= configuration.endpoints.count, !isReportedUnreachable else { return }
        isReportedUnreachable = true
        tell(
            .unavailable(
                StorageError(
                    .unavailable,
                    "Changes under “\(space.prefix)” can't be followed: no endpoint keeps a watch, the last was “\(endpoint)”: "
                        + "\(reason). Reads go on with what is known.")))
    }
}
