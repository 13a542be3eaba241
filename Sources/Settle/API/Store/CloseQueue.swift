/// Serializes the closes of one handle, until one has succeeded.
///
/// ```
///   open ──begin──▶ closing ──succeeded──▶ closed
///     ▲───failed───────┘
/// ```
final class CloseQueue: Sendable {
    private enum Phase: Sendable {
        case open, closing, closed
    }

    private enum Turn: Sendable {
        case granted, closed
        /// The close in progress has ended.
        case again
    }

    private struct State: Sendable {
        var phase = Phase.open
        var waiters: [CheckedContinuation<Turn, Never>] = []
    }

    private let state = LockedValue(State())

    /// Waits for a close in progress.
    ///
    /// - Returns: False if a close has succeeded. Otherwise the caller closes, and reports the end.
    func begin() async -> Bool {
        while true {
            let turn = await withCheckedContinuation { continuation in
                let turn = state.withLock { state -> Turn? in
                    switch state.phase {
                    case .open:
                        state.phase = .closing
                        return .granted
                    case .closing:
                        state.waiters.append(continuation)
                        return nil
                    case .closed: return .closed
                    }
                }
                if let turn { continuation.resume(returning: turn) }
            }
            switch turn {
            case .granted: return true
            case .closed: return false
            case .again: break
            }
        }
    }

    func end(succeeded: Bool) {
        let waiters = state.withLock { state in
            state.phase = succeeded ? .closed : .open
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: .again) }
    }
}
