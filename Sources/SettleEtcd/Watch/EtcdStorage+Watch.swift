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
        mustRead = false
        heard = time.elapsed()
        let endpoint = await client.endpoint
        let reason = await stream()
        isFollowing = false
        guard phase == .open, !Task.isCancelled else { return nil }
        if mustRead, await readAnew() { return .zero }
        await client.skip(endpoint)
        let delay = machine.failed(now: time.elapsed(), random: configuration.random())
        reportUnreachable(endpoint, reason)
        return delay
    }

    /// - Returns: Why the stream has ended.
    private func stream() async -> String {
        let body = WatchMachine.request(space, from: mirror.revision + 1)
        return await withTaskGroup(of: String.self) { group in
            group.addTask { [client] in
                do {
                    try await client.stream(EtcdPath.watch, body, headers: WatchMachine.headers) { [weak self] bytes in
                        guard let self else { throw StreamEnd(reason: "the storage is gone") }
                        try await self.received(bytes)
                    }
                    return "the stream has ended"
                } catch let failure as GatewayFailure {
                    return failure.reason
                } catch {
                    return "\(error)"
                }
            }
            group.addTask { [weak self, time] in
                while let due = await self?.silenceEnds {
                    guard (try? await time.sleep(due)) != nil else { break }
                    if let reason = await self?.checkSilence() { return reason }
                }
                return "the storage is closed"
            }
            let reason = await group.next() ?? ""
            group.cancelAll()
            return reason
        }
    }

    private func received(_ bytes: [UInt8]) throws {
        heard = time.elapsed()
        for action in machine.receive(bytes, now: heard) {
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
            case .changed(let updates, _): follow(updates)
            case .compacted:
                mustRead = true
                throw StreamEnd(reason: "etcd has forgotten what came after revision \(mirror.revision)")
            case .ended(let reason, let isUnauthenticated):
                if isUnauthenticated { Task { [client] in await client.forgetToken() } }
                throw StreamEnd(reason: reason)
            }
        }
    }

    private func follow(_ updates: [Mirror.Update]) {
        var hasNews = false
        // What comes again is known already.
        for update in updates where update.revision > mirror.revision {
            if apply(update, isWhole: true) { hasNews = true }
            advance(to: update.revision)
        }
        if hasNews { tell(.mayHaveChanged) }
    }

    /// Reads what the stream can't bring any more.
    ///
    /// - Returns: Whether the next stream may begin at once.
    private func readAnew() async -> Bool {
        let known = mirror.revision
        do {
            try await turns.run { () throws(StorageError) in try await refresh() }
        } catch {
            return false
        }
        tell(.mayHaveChanged)
        return mirror.revision > known
    }

    // MARK: Silence

    private var silenceEnds: Duration? {
        phase == .closed ? nil : heard + configuration.silence
    }

    /// A stopped member is silent for ever, and so is one that is cut off. Compares the stream with a read of a majority.
    ///
    /// - Returns: Why the stream is given up; `nil` if it is good.
    private func checkSilence() async -> String? {
        guard time.elapsed() >= heard + configuration.silence else { return nil }
        let known = mirror.revision
        var request = BatchPlan.news(of: mirror)
        request.keysOnly = true
        let answer: GatewayObject
        do throws(GatewayFailure) {
            answer = try await client.call(EtcdPath.range, request.json, mayRepeat: true)
        } catch {
            return error.reason
        }
        let found = RangeAnswer(answer)
        let isBehind = !found.pairs.isEmpty || found.count != mirror.count
        let header = GatewayHeader(answer.object("header"))
        guard header.cluster == mirror.cluster, header.revision >= known else {
            mustRead = true
            return "another cluster answers, or an earlier state"
        }
        if !isFollowing { return "etcd has not answered to the watch within \(configuration.silence)" }
        guard isBehind, mirror.revision == known else {
            heard = time.elapsed()
            return nil
        }
        // It may be on its way: what the stream has not brought after as long again, it does not bring.
        guard (try? await time.sleep(time.elapsed() + configuration.silence)) != nil else { return nil }
        guard mirror.revision == known else { return nil }
        return "the stream is silent, although others have stored something"
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
