import Synchronization

/// The limit: tasks that are parked on a continuation each, and nothing else.
///
/// It may lose a value that is published while a task is not parked, so it is no library; it is what a wake costs.
final class ContinuationBroadcast: Broadcast {
    private struct State {
        var value = 0
        var parked: [UnsafeContinuation<Int, Never>] = []
    }

    private let state = Mutex(State())

    func publish(_ value: Int) {
        let parked = state.withLock { state in
            state.value = value
            return Swift.exchange(&state.parked, with: [])
        }
        for continuation in parked { continuation.resume(returning: value) }
    }

    func listen(_ receive: @escaping @Sendable (Int) -> Void) async {
        while !Task.isCancelled {
            let value = await withUnsafeContinuation { continuation in
                state.withLock { $0.parked.append(continuation) }
            }
            receive(value)
        }
    }
}
