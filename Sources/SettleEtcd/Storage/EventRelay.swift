import Settle

/// Delivers events to the store. Issues wait until the store listens.
final class EventRelay: Sendable {
    private struct State {
        var handle: (@Sendable (StorageEvent) -> Void)?
        var issues: [StorageError] = []
    }

    private let state = LockedValue(State())

    var isConnected: Bool { state.withLock { $0.handle != nil } }

    func connect(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        let issues = state.withLock { state in
            defer { state = State(handle: handle) }
            return state.issues
        }
        for issue in issues { handle(.issue(issue)) }
    }

    func disconnect() { state.withLock { $0.handle = nil } }

    func send(_ event: StorageEvent) {
        let handle = state.withLock { state in
            if state.handle == nil, case .issue(let error) = event { state.issues.append(error) }
            return state.handle
        }
        handle?(event)
    }
}
