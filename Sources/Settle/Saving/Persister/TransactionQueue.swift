/// The transactions that wait until others are excluded and the writer lock is free.
struct TransactionQueue: Sendable {
    private(set) var waiting: [SaveRequest] = []
    /// Whether the active writer was asked to hand over its lock.
    var isHandOffAwaited = false
    /// Whether a poll of the writer's lock is in the queue.
    var isPollScheduled = false
    /// Callers that wait until the writer has unlocked, and the changes of others are in force.
    var deliveries: [SaveRequest] = []
    /// Whether they wait because others were faster.
    var isPaused = false
    /// The number of callers that close the store or write its file before another transaction begins on its caller's
    /// actor.
    var barriers = 0
    /// Callers that close the store or write its file, waiting for the last visitor of the group to end.
    private var idleWaiters: [UnsafeContinuation<Void, Never>] = []

    /// Whether one of the waiting transactions has to know something of the storage first.
    var needsPreparation: Bool { waiting.contains { $0.prepare != nil } }

    mutating func add(_ requests: [SaveRequest]) { waiting += requests }

    /// Inserts transactions that have to run again before the waiting ones.
    mutating func runAgain(_ requests: [SaveRequest]) { waiting = requests.filter { !$0.hasEnded } + waiting }

    mutating func remove(where isRemoved: (SaveRequest) -> Bool) { waiting.removeAll(where: isRemoved) }

    /// - Parameter includesVisitors: Whether to take those that run on their callers' actors, too.
    mutating func take(includesVisitors: Bool = true) -> [SaveRequest] {
        let staying = includesVisitors ? [] : waiting.filter { $0.kind != .transaction }
        defer { waiting = staying }
        return staying.isEmpty ? waiting : waiting.filter { $0.kind == .transaction }
    }

    /// - Returns: Whether a poll of the writer's lock has to be enqueued.
    mutating func schedulePoll() -> Bool {
        defer { isPollScheduled = true }
        return !isPollScheduled
    }

    /// - Returns: The callers that waited for the last visitor to end.
    mutating func takeIdleWaiters() -> [UnsafeContinuation<Void, Never>] {
        defer { idleWaiters = [] }
        return idleWaiters
    }

    mutating func waitUntilIdle(_ continuation: UnsafeContinuation<Void, Never>) { idleWaiters.append(continuation) }
}
