/// The transactions that wait until others are excluded and the writer lock is free, and the number of those that run on
/// their callers' actors.
struct TransactionQueue: Sendable {
    private(set) var waiting: [SaveRequest] = []
    /// Whether the active writer was asked to hand over its lock.
    var isHandOffAwaited = false
    /// How many transactions run on their callers' actors.
    private(set) var running = 0
    /// Callers that close the store or write its file, waiting for the last of these to end.
    private var idleWaiters: [UnsafeContinuation<Void, Never>] = []

    /// Whether one of the waiting transactions has to know something of the storage first.
    var needsPreparation: Bool { waiting.contains { $0.prepare != nil } }

    mutating func add(_ request: SaveRequest) { waiting.append(request) }

    /// Transactions have to run again, before those that wait.
    mutating func runAgain(_ requests: [SaveRequest]) { waiting = requests.filter { !$0.hasEnded } + waiting }

    mutating func remove(where isRemoved: (SaveRequest) -> Bool) { waiting.removeAll(where: isRemoved) }

    mutating func takeAll() -> [SaveRequest] {
        defer { waiting = [] }
        return waiting
    }

    /// A transaction begins on its caller's actor.
    mutating func begin() { running += 1 }

    /// A transaction has ended on its caller's actor.
    ///
    /// - Returns: The callers that waited for that; `nil` if none was running.
    mutating func end() -> [UnsafeContinuation<Void, Never>]? {
        guard running > 0 else { return nil }
        running -= 1
        guard running == 0 else { return [] }
        defer { idleWaiters = [] }
        return idleWaiters
    }

    mutating func waitUntilIdle(_ continuation: UnsafeContinuation<Void, Never>) { idleWaiters.append(continuation) }
}
