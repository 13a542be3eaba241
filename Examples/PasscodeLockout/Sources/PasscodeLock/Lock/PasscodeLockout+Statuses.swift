extension PasscodeLockout {
    /// The lock's current status, then each newer one. A slow reader gets the newest.
    ///
    /// The end of a wait is a new status. The stream ends when the store closes.
    ///
    /// - Parameter interval: How often to send the remaining time while the lock is delayed; `nil` for never.
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

    /// Sends all subscribers the status on stable storage, if it is new.
    func publishChange() {
        let limit = limit
        guard failure != publishedFailure || limit != publishedLimit || !conclusion.isSame(as: published) else {
            return
        }
        (published, publishedFailure, publishedLimit) = (conclusion, failure, limit)
        for id in subscribers.keys { publish(to: id) }
    }

    /// Called when the policy has changed, perhaps in the file. A turn in progress publishes what it leads to at its
    /// end.
    func policyChanged() {
        if !isBusy { publishChange() }
    }

    func finish() {
        isFinished = true
        for subscriber in subscribers.values { subscriber.end() }
        subscribers = [:]
    }

    /// Sends a subscriber the status, and returns when time alone will have changed it.
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
        // A task that sleeps does not keep the lock, with its stores.
        subscribers[id]?.ticker = Task { [weak self, time] in
            guard (try? await time.sleep(untilUptime: deadline)) != nil else { return }
            await self?.publish(to: id)
        }
    }

    private func unsubscribe(_ id: UInt64) {
        subscribers.removeValue(forKey: id)?.end()
    }
}

extension LockFinding.Conclusion {
    /// Whether a subscriber would see no difference.
    fileprivate func isSame(as other: Self?) -> Bool {
        switch (self, other) {
        case (.notEnrolled, .notEnrolled): true
        case (.enrolled(let one), .enrolled(let other)):
            one.attemptCount == other.attemptCount && one.wait == other.wait
        case (.unusable(let one), .unusable(let other)): one == other
        default: false
        }
    }
}

/// A reader of a lock's statuses.
struct StatusSubscriber {
    let continuation: AsyncStream<LockStatus>.Continuation
    let interval: Duration?
    /// The last status sent.
    var last: LockStatus?
    /// Waits for the next status caused by time alone.
    var ticker: Task<Void, Never>?

    func end() {
        ticker?.cancel()
        continuation.finish()
    }
}
