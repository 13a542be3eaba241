/// Notifies the task that runs under a named lock that its lease has ended.
final class LockLoss: Sendable {
    private enum State {
        case held
        case awaited(CheckedContinuation<Void, Never>)
        /// The lease has ended, or no task waits for that any more.
        case over
    }

    private let state = LockedValue(State.held)

    /// Notifies the waiting task that the lease has ended.
    func tell() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .over }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    /// Waits for the end of the lease, or of the task. Called once.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state -> Bool in
                    if case .over = state { return true }
                    state = .awaited(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            tell()
        }
    }
}
