/// A caller that waits for the persister: with a transaction that is to run while the storage is locked, or only for its values
/// to be saved.
///
/// ```
///   waiting ──begin──▶ begun ──end──▶ ended
///      │ └──────────────end──────────────▲
///      └─────────────cancelled───────────┘
/// ```
///
/// A task that is cancelled before its transaction has begun gets a `CancellationError` at once, and the transaction never runs.
/// One that has begun comes to its end.
final class SaveRequest: @unchecked Sendable {
    // Sendable: everything is guarded by `lock` but `revision`, which is touched on the persister's queue only. `body` is neither
    // Sendable nor isolated to an actor, see `StoreCore.commit`: the task that made it is suspended until it has run or never
    // will, and that task is the only one that can reach what it has captured.

    enum Kind: Sendable {
        /// Wants everything to be saved that has been published by now.
        case save
        /// Has a transaction that runs on the persister's queue, and is saved.
        case transaction
        /// Runs a transaction elsewhere, while the storage is locked.
        case visit
    }

    private enum Phase {
        case waiting, begun, ended
    }

    let kind: Kind
    /// The store to which a transaction belongs.
    let store: StoreCore?
    /// The newest revision once the transaction has run.
    var revision: UInt64?
    private let lock = Lock()
    private var phase = Phase.waiting
    private var body: (() throws -> Void)?
    private var continuation: UnsafeContinuation<Void, any Error>?

    init(_ kind: Kind, in store: StoreCore?, revision: UInt64? = nil, _ body: (() throws -> Void)? = nil) {
        self.kind = kind
        self.store = store
        self.revision = revision
        self.body = body
    }

    // MARK: The task

    /// Hands the request over, and waits for its end.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the transaction has begun, or was before: then the request is
    ///   not handed over.
    func wait(_ handOver: (SaveRequest) -> Void) async throws {
        try await withTaskCancellationHandler {
            try await waitUncancellably(handOver)
        } onCancel: {
            cancel()
        }
    }

    /// The same, whether the task is cancelled or not.
    func waitUncancellably(_ handOver: (SaveRequest) -> Void) async throws {
        try await withUnsafeThrowingContinuation { continuation in
            let isCancelled = lock.withLock {
                if case .ended = phase { return true }
                self.continuation = continuation
                return false
            }
            if isCancelled { continuation.resume(throwing: CancellationError()) } else { handOver(self) }
        }
    }

    private func cancel() {
        finish(.failure(CancellationError()), onlyIfWaiting: true)
    }

    // MARK: The queue

    var hasEnded: Bool {
        lock.withLock {
            if case .ended = phase { true } else { false }
        }
    }

    /// False if the request has been cancelled.
    func begin() -> Bool {
        lock.withLock {
            guard case .waiting = phase else { return false }
            phase = .begun
            return true
        }
    }

    /// Runs the transaction, and lets go of it.
    func perform() throws {
        let body = lock.withLock { () -> (() throws -> Void)? in
            defer { self.body = nil }
            return self.body
        }
        try body?()
    }

    /// Resumes the task, unless it has been before.
    func end(_ result: Result<Void, any Error>) {
        finish(result, onlyIfWaiting: false)
    }

    private func finish(_ result: Result<Void, any Error>, onlyIfWaiting: Bool) {
        let continuation = lock.withLock { () -> UnsafeContinuation<Void, any Error>? in
            switch phase {
            case .waiting: break
            case .begun: if onlyIfWaiting { return nil }
            case .ended: return nil
            }
            phase = .ended
            // Before the task is resumed, which must find that nothing has its closure any more. What that has captured lives as
            // long as the task waits, so no foreign code runs here.
            body = nil
            defer { self.continuation = nil }
            return self.continuation
        }
        continuation?.resume(with: result)
    }
}
