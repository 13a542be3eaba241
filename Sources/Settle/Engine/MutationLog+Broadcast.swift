/// The side of the log that the broadcaster and the notifier of observers use.
extension MutationLog {
    enum DrainStep<Work> {
        case work(Work)
        case wait
        case finish
    }

    /// The next step of the broadcaster.
    func nextBroadcast() -> DrainStep<[WaiterList]> {
        lock.withLock {
            guard !work.topics.isEmpty else { return isFinished ? .finish : .wait }
            var lists: [WaiterList] = []
            lists.reserveCapacity(work.topics.count)
            for topic in work.topics {
                topic.isPending = false
                // A subscriber that waits again goes into a new list, so that one change never wakes it twice.
                if let waiters = topic.waiters { lists.append(waiters) }
                topic.waiters = nil
            }
            work.topics.removeAll(keepingCapacity: true)
            return .work(lists)
        }
    }

    /// The next step of the notifier.
    func nextNotifications() -> DrainStep<[ObservationNode]> {
        lock.withLock {
            guard !work.observers.isEmpty else { return isFinished ? .finish : .wait }
            let nodes = work.observers.map(\.node)
            for (slot, _) in work.observers { slot.isNotifying = false }
            work.observers.removeAll(keepingCapacity: true)
            return .work(nodes)
        }
    }

    var hasBroadcast: Bool { lock.withLock { !work.topics.isEmpty } }

    /// Moves up to `limit` waiters' continuations into `batch` and drops the lists that become empty. The limit keeps
    /// the lock short however many subscribers wait.
    func take(
        _ limit: Int, from lists: inout ArraySlice<WaiterList>, into batch: inout [UnsafeContinuation<Void, Never>]
    ) {
        lock.withLock {
            while batch.count < limit, let list = lists.first {
                if let continuation = list.popFirst() { batch.append(continuation) } else { lists.removeFirst() }
            }
        }
    }

    /// Parks the broadcaster until a writer resumes it. False if there is work, so that it must not wait.
    func parkBroadcaster(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        lock.withLock {
            guard work.topics.isEmpty, !isFinished else { return false }
            broadcaster = .parked(continuation)
            return true
        }
    }

    /// The same for the notifier.
    func parkNotifier(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        lock.withLock {
            guard work.observers.isEmpty, !isFinished else { return false }
            notifier = .parked(continuation)
            return true
        }
    }

    /// Ends all streams: wakes every subscriber, which then finds the log finished.
    func finish() -> PendingWakeUps {
        lock.withLock {
            isFinished = true
            wakeAll()
            // Parked tasks have to end, whether there is work or not.
            if case .absent = broadcaster, case .absent = notifier { return wakeUps() }
            return PendingWakeUps(broadcaster: Self.claim(&broadcaster), notifier: Self.claim(&notifier))
        }
    }

    /// Ends the streams of a topic. Under the lock.
    func finish(_ topic: Topic) {
        topic.isFinished = true
        wake(topic)
        wake(durability)
    }

    /// Puts every waiter on the broadcaster's list. Under the lock.
    func wakeAll() {
        wake(root)
        wake(durability)
        wake(lifetime)
        for topic in topics.values { wake(topic) }
        for slot in slots.all { wake(slot) }
    }
}
