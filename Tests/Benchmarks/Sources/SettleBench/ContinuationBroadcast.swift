import Synchronization

/// The limit: each task is parked on a continuation, and nothing else happens.
///
/// It may lose a value published while a task is not parked: it is no library, but shows what a wake-up costs.
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
