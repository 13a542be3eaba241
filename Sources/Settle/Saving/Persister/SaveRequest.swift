import Dispatch

/// A caller that waits for the persister, either with a transaction to run while the storage is locked, or only for its
/// values to be saved.
///
/// ```
///   waiting ──begin──▶ begun ──end──▶ ended
///      │ └──────────────end──────────────▲
///      └─────────────cancelled───────────┘
/// ```
///
/// A task cancelled before its transaction has begun gets a `CancellationError` immediately, and the transaction never
/// runs. A transaction that has begun always completes; but if others were faster, a cancelled one does not run again.
final class SaveRequest: @unchecked Sendable {
    // Sendable: `lock` guards everything but `revision`, `reads`, `isReading` and `fences`, which are accessed on the
    // persister's queue only. `body` is neither Sendable nor isolated to an actor, see `StoreCore.commit`: the task that
    // made it is suspended until it has run or never will, and only that task can reach its captured values.

    enum Kind: Sendable {
        /// Saves everything published by now.
        case save
        /// Runs a transaction on the persister's queue, and saves it.
        case transaction
        /// Lets a transaction run on its caller's actor, while the storage is locked.
        case actorTransaction
    }

    private enum Phase {
        case waiting, begun
        case ended(Result<Void, any Error>)
    }

    let kind: Kind
    /// The store that the transaction belongs to.
    let store: Engine?
    /// Reads what the transaction has to know of the storage, once others are excluded and before it runs.
    let prepare: Persister.Preparation?
    /// The newest revision after the transaction has run.
    var revision: UInt64?
    /// Whether it is a transaction, and does not only wait for earlier changes.
    var isCommit: Bool { revision != nil }
    /// The keys that the transaction has read, if the store records reads; `nil` for any key.
    var reads: Set<SettingKey>? = []
    /// Whether the transaction has changed nothing. Even then, the values it has read have to be the newest.
    var isReading = false
    /// The named locks that the task held when it made the request.
    let locks: [String]
    /// The leases of those locks, if they are limited: the transaction's values are stored only while they last.
    var fences: [StorageLease] = []
    private var repetitions = Repetitions()
    private let lock = Lock()
    private var phase = Phase.waiting
    /// Whether the task was cancelled after the transaction had begun.
    private var isCancelled = false
    private var body: (() throws -> Void)?
    private var continuation: UnsafeContinuation<Void, any Error>?

    init(
        _ kind: Kind, in store: Engine?, revision: UInt64? = nil, preparing prepare: Persister.Preparation? = nil,
        _ body: (() throws -> Void)? = nil
    ) {
        self.kind = kind
        self.store = store
        self.prepare = prepare
        self.revision = revision
        self.body = body
        locks = store.map(NamedLock.namesHeldByCurrentTask) ?? []
    }

    // MARK: The task

    /// Hands the request over, and waits for it to end.
    ///
    /// - Parameter handOver: Runs on the caller's thread, before the caller is suspended.
    /// - Throws: `CancellationError` if the task is cancelled before the transaction has begun. A request of a task
    ///   that is cancelled already is not handed over.
    func wait(isolation: isolated (any Actor)? = #isolation, _ handOver: (SaveRequest) -> Void) async throws {
        try await withTaskCancellationHandler {
            // Captured, so that the closure stays on the caller's actor. Otherwise the request would be handed over on
            // a thread of the concurrency runtime.
            _ = isolation
            try await waitUncancellably(handOver)
        } onCancel: {
            cancel()
        }
    }

    /// Waits as `wait` does, ignoring cancellation.
    func waitUncancellably(
        isolation: isolated (any Actor)? = #isolation, _ handOver: (SaveRequest) -> Void
    ) async throws {
        if !hasEnded { handOver(self) }
        // Handed over on the calling thread, it may have ended by now.
        if let result { return try result.get() }
        if isolation == nil {
            try await withUnsafeThrowingContinuation { suspend($0) }
        } else {
            try await DirectReturn().wait { self.suspend($0) }
        }
    }

    private func suspend(_ continuation: UnsafeContinuation<Void, any Error>) {
        let result = lock.withLock { () -> Result<Void, any Error>? in
            if case .ended(let result) = phase { return result }
            self.continuation = continuation
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    private func cancel() {
        let continuation = finish(.failure(CancellationError()), onlyIfWaiting: true).continuation
        guard let continuation else { return }
        // Not here, see ``DirectReturn``. A queue of its own has a thread of its own: storages may block all others.
        DispatchQueue(label: "settle.cancellation").async { continuation.resume(throwing: CancellationError()) }
    }

    // MARK: The queue

    var hasEnded: Bool { result != nil }

    private var result: Result<Void, any Error>? {
        lock.withLock { () -> Result<Void, any Error>? in
            guard case .ended(let result) = phase else { return nil }
            return result
        }
    }

    /// Returns false if the request has been cancelled.
    func begin() -> Bool {
        lock.withLock {
            guard case .waiting = phase else { return false }
            phase = .begun
            return true
        }
    }

    /// Runs the transaction's closure.
    func perform() throws {
        let body = lock.withLock { self.body }
        try body?()
    }

    /// Lets the transaction, which has been undone because others were faster, run again.
    ///
    /// - Returns: The error to end it with: it has no closure to run again, has run too often, or has been cancelled.
    func prepareToRunAgain(after error: StorageError, now: Duration) -> (any Error)? {
        lock.withLock { () -> (any Error)? in
            if isCancelled { return CancellationError() }
            guard body != nil, case .begun = phase, repetitions.mayRunAgain(now: now) else {
                return SettingsError.commitUndone(error, attempts: repetitions.attempts)
            }
            phase = .waiting
            return nil
        }
    }

    /// Resumes the task, unless the request has ended already.
    ///
    /// - Returns: Whether the task gets the result.
    @discardableResult
    func end(_ result: Result<Void, any Error>) -> Bool {
        let (isEnd, continuation) = finish(result, onlyIfWaiting: false)
        continuation?.resume(with: result)
        return isEnd
    }

    private typealias Finish = (isEnd: Bool, continuation: UnsafeContinuation<Void, any Error>?)

    /// - Returns: Whether this has ended the request, and what the caller has to resume, if the task is suspended.
    private func finish(_ result: Result<Void, any Error>, onlyIfWaiting: Bool) -> Finish {
        lock.withLock { () -> Finish in
            switch phase {
            case .waiting: break
            case .begun:
                if onlyIfWaiting {
                    isCancelled = true
                    return (false, nil)
                }
            case .ended: return (false, nil)
            }
            phase = .ended(result)
            // Release the closure before resuming: the task must find it unreferenced. The task keeps the captured
            // objects alive while it waits, so no foreign `deinit` runs here.
            body = nil
            defer { self.continuation = nil }
            return (true, self.continuation)
        }
    }
}
