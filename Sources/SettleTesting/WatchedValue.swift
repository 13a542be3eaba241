import Synchronization

/// A value that tests can change from any task or thread, and wait for.
final class WatchedValue<Value: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    var value: Value {
        state.withLock { $0.value }
    }

    func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, satisfied, value) = state.withLock { state in
            let result = change(&state.value)
            let value = state.value
            let satisfied = state.waiters.filter { $0.value.condition(value) }
            for number in satisfied.keys { state.waiters[number] = nil }
            return (result, satisfied.values.map(\.continuation), value)
        }
        for continuation in satisfied { continuation.resume(returning: value) }
        return result
    }

    /// Waits until the value meets a condition or the task is cancelled.
    ///
    /// - Returns: The value that met it; if cancelled, the value at that moment.
    func value(when condition: @escaping @Sendable (Value) -> Bool) async -> Value {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let met: Value? = state.withLock { state in
                    if Task.isCancelled || condition(state.value) { return state.value }
                    state.waiters[number] = Waiter(condition: condition, continuation: continuation)
                    return nil
                }
                if let met { continuation.resume(returning: met) }
            }
        } onCancel: {
            let (waiter, value) = state.withLock { ($0.waiters.removeValue(forKey: number), $0.value) }
            waiter?.continuation.resume(returning: value)
        }
    }
}
