/// The subscribers and observers that a change wakes, until the broadcaster and the notifier of observers have done it.
///
/// ```
///   absent ──first work──▶ running ◀──work── parked
///                             └───no work──────▲
/// ```
struct WakingList: ~Copyable {
    /// The state of a task that drains the list: the broadcaster, or the notifier of observers.
    private enum TaskState {
        /// Not started: there has never been work.
        case absent
        case running
        case parked(UnsafeContinuation<Void, Never>)
    }

    /// The next step of a task that drains the list.
    enum Step<Work> {
        case work(Work)
        case wait
        case finish
    }

    private var topics: [Topic] = []
    private var observers: [(slot: SettingSlot, node: ObservationNode)] = []
    private var broadcaster = TaskState.absent
    private var notifier = TaskState.absent
    private(set) var isFinished = false
    /// Whether tasks are woken only when this ends.
    private var isHeld = false

    // MARK: Adding

    mutating func add(_ topic: Topic) {
        topic.wake(&topics)
    }

    /// Counts a transaction on a setting's topics, and adds those on which subscribers wait, and the observers.
    mutating func touch(_ slot: SettingSlot, _ node: ObservationNode, by revision: UInt64, isPersistent: Bool) {
        slot.touch(revision, isPersistent: isPersistent, pending: &topics)
        notify(slot, node)
    }

    /// Adds the observers of a setting.
    @inline(__always)
    mutating func notify(_ slot: SettingSlot, _ node: ObservationNode) {
        guard node.isTracked, !slot.isNotifying else { return }
        slot.isNotifying = true
        observers.append((slot, node))
    }

    /// Counts a transaction on a topic that is not a setting's.
    mutating func touch(_ topic: Topic, by revision: UInt64, isPersistent: Bool) {
        topic.touch(revision, isPersistent: isPersistent, pending: &topics)
    }

    // MARK: Waking

    /// Returns the tasks that the caller must wake once it has unlocked.
    mutating func wakeUps(wakesPersister: Bool = false) -> PendingWakeUps {
        var wakeUps = PendingWakeUps(wakesPersister: wakesPersister)
        if isHeld { return wakeUps }
        if !topics.isEmpty { wakeUps.broadcaster = claimBroadcaster() }
        if !observers.isEmpty { wakeUps.notifier = Self.claim(&notifier) }
        return wakeUps
    }

    /// Leaves all work from now on to the end of the hold, so that several steps wake a task once.
    mutating func hold() { isHeld = true }

    /// Ends the hold, and returns the tasks that the caller must wake once it has unlocked.
    mutating func endHold() -> PendingWakeUps {
        isHeld = false
        return wakeUps()
    }

    /// Returns the same for the end of the log: parked tasks have to end, whether there is work or not.
    mutating func finish() -> PendingWakeUps {
        isFinished = true
        if case .absent = broadcaster, case .absent = notifier { return wakeUps() }
        return PendingWakeUps(broadcaster: Self.claim(&broadcaster), notifier: Self.claim(&notifier))
    }

    /// Decides how the broadcaster is woken. The writer wakes a single subscriber itself. That costs it no more than
    /// waking the broadcaster, and saves the subscriber the detour through a second sleeping thread.
    private mutating func claimBroadcaster() -> PendingWakeUps.Wake {
        if case .running = broadcaster { return .none }
        if let lone = popLoneWaiter() { return .resume(lone) }
        return Self.claim(&broadcaster)
    }

    private mutating func popLoneWaiter() -> UnsafeContinuation<Void, Never>? {
        guard topics.count == 1, let waiters = topics[0].waiters, waiters.hasOnlyOne else { return nil }
        topics[0].isPending = false
        topics.removeLast()
        return waiters.removeFirst()
    }

    private static func claim(_ state: inout TaskState) -> PendingWakeUps.Wake {
        switch state {
        case .running:
            return .none
        case .absent:
            state = .running
            return .start
        case .parked(let continuation):
            state = .running
            return .resume(continuation)
        }
    }

    // MARK: The broadcaster and the notifier

    var hasTopics: Bool { !topics.isEmpty }

    /// Hands the broadcaster the subscribers to wake.
    mutating func popWaiters() -> Step<[WaiterList]> {
        guard !topics.isEmpty else { return isFinished ? .finish : .wait }
        var lists: [WaiterList] = []
        lists.reserveCapacity(topics.count)
        for topic in topics {
            topic.isPending = false
            // A subscriber that waits again goes into a new list, so that one change never wakes it twice.
            guard let waiters = topic.waiters.take() else { continue }
            waiters.take()
            lists.append(waiters)
        }
        topics.removeAll(keepingCapacity: true)
        return .work(lists)
    }

    /// Hands the notifier the settings whose observers it notifies.
    mutating func popObservers() -> Step<[ObservationNode]> {
        guard !observers.isEmpty else { return isFinished ? .finish : .wait }
        let nodes = observers.map(\.node)
        for (slot, _) in observers { slot.isNotifying = false }
        observers.removeAll(keepingCapacity: true)
        return .work(nodes)
    }

    /// Parks the broadcaster until a writer resumes it. Returns false if there is work, so that it must not wait.
    mutating func parkBroadcaster(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        guard topics.isEmpty, !isFinished else { return false }
        broadcaster = .parked(continuation)
        return true
    }

    /// Parks the notifier in the same way.
    mutating func parkNotifier(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        guard observers.isEmpty, !isFinished else { return false }
        notifier = .parked(continuation)
        return true
    }
}
