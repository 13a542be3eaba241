extension PasscodeLock {
    /// What the lock says: its status now, then each newer one. The newest is kept for a slow reader.
    ///
    /// A wait that ends is a new status. The stream ends when the store closes.
    ///
    /// - Parameter interval: While the lock is delayed, how often to tell the remaining time; `nil` for never.
    public func statuses(every interval: Duration? = nil) -> AsyncStream<LockStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: LockStatus.self, bufferingPolicy: .bufferingNewest(1))
        guard !isFinished else {
            continuation.finish()
            return stream
        }
        nextSubscriber += 1
        let id = nextSubscriber
        continuation.onTermination = { [weak self] _ in
            Task { await self?.unsubscribe(id) }
        }
        subscribers[id] = StatusSubscriber(continuation: continuation, interval: interval)
        publish(to: id)
        return stream
    }

    /// Tells everybody.
    func publish() {
        for id in subscribers.keys { publish(to: id) }
    }

    /// Tells one subscriber, and comes back when time will have changed what there is to tell.
    private func publish(to id: UInt64) {
        guard let subscriber = subscribers[id] else { return }
        subscriber.ticker?.cancel()
        let (status, moment) = now()
        if status != subscriber.last {
            subscribers[id]?.last = status
            subscriber.continuation.yield(status)
        }
        guard let moment, case .delayed(let remaining, _) = status else { return }
        let deadline = moment.uptime + min(remaining, max(subscriber.interval ?? remaining, .milliseconds(10)))
        subscribers[id]?.ticker = Task { [weak self] in
            guard (try? await self?.sleep(untilUptime: deadline)) != nil else { return }
            await self?.publish(to: id)
        }
    }

    private func unsubscribe(_ id: UInt64) {
        subscribers.removeValue(forKey: id)?.end()
    }
}

/// Somebody who reads a lock's statuses.
struct StatusSubscriber {
    let continuation: AsyncStream<LockStatus>.Continuation
    let interval: Duration?
    /// What was told last.
    var last: LockStatus?
    /// Waits for the next status that time alone brings.
    var ticker: Task<Void, Never>?

    func end() {
        ticker?.cancel()
        continuation.finish()
    }
}
