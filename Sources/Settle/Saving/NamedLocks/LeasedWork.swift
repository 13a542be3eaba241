/// Runs a closure in a task of its own, so that it can be cancelled while its caller's task continues.
struct LeasedWork<Result>: Sendable {
    /// Where the closure runs.
    let actor: (any Actor)?
    let loss: LockLoss

    /// Runs the closure, and cancels it when the lease has ended.
    func run(_ body: @escaping () async throws -> Result) async throws -> Result {
        let call = LeasedCall(body)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [actor, loss] in
                await call.run(on: actor)
                // No task waits for the end of the lease any more.
                loss.tell()
            }
            await loss.wait()
            if !call.hasEnded { group.cancelAll() }
            await group.waitForAll()
        }
        return try call.result
    }
}

private final class LeasedCall<Result>: @unchecked Sendable {
    // Sendable: the closure runs once, where its caller runs, and the caller's task waits for it. So two tasks never
    // use the closure or its result at the same time. The outcome is guarded by the lock.
    private let body: () async throws -> Result
    private let lock = Lock()
    private var outcome: Swift.Result<Result, any Error>?

    init(_ body: @escaping () async throws -> Result) {
        self.body = body
    }

    func run(on actor: isolated (any Actor)?) async {
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        lock.withLock { self.outcome = outcome }
    }

    var hasEnded: Bool { lock.withLock { outcome != nil } }

    var result: Result {
        get throws {
            // Never missing: it is read after the call.
            guard let outcome = lock.withLock({ outcome }) else { throw CancellationError() }
            return try outcome.get()
        }
    }
}
