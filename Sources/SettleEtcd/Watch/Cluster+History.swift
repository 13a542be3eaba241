import Settle

/// The part of the history that etcd still has.
enum ClusterHistory: Sendable {
    case found([Mirror.Update])
    /// etcd has compacted it, up to a revision.
    case forgotten(upTo: Int64)
    case failed(String)
}

extension Cluster {
    /// Reads whole revisions with a separate stream, until a condition holds for the newest ones.
    func history(
        after start: Int64, until isEnough: @escaping @Sendable ([Mirror.Update]) -> Bool
    ) async -> ClusterHistory {
        let found = LockedValue<(updates: [Mirror.Update], outcome: ClusterHistory?)>(([], nil))
        let machine = LockedValue(WatchMachine(delays: .zero ... .zero))
        machine.withLock { $0.open(now: .zero) }
        let body = WatchMachine.request(space, from: start + 1)
        // The stream ends when it has delivered enough. That is not a failure.
        let result = await Deadline.run(within: deadline, by: time) { [client] in
            try await client.stream(EtcdPath.watch, body, headers: WatchMachine.headers) { bytes in
                for action in machine.withLock({ $0.receive(bytes, now: .zero) }) {
                    let outcome: ClusterHistory? = found.withLock { found in
                        switch action {
                        case .opened: break
                        case .changed(let updates, _):
                            found.updates += updates
                            if isEnough(updates) { found.outcome = .found(found.updates) }
                        case .compacted(let revision): found.outcome = .forgotten(upTo: revision)
                        case .ended(let reason, _): found.outcome = .failed(reason)
                        }
                        return found.outcome
                    }
                    if outcome != nil { throw Enough() }
                }
            }
        }
        if let outcome = found.withLock({ $0.outcome }) { return outcome }
        switch result {
        case .success: return .failed("the stream has ended")
        case .failure(let error as GatewayFailure): return .failed(error.reason)
        case .failure(let error): return .failed("\(error)")
        }
    }

    /// Ends a stream that has delivered what was requested.
    private struct Enough: Error {}
}
