import Settle
import Synchronization

/// The changes of a store's history on their way to one stream. One waits here at a time, so a slow reader makes
/// nothing pile up: the rest stays in the storage.
final class ChangeFeed: Sendable {
    /// The part that the reading task has, so that the feed ends with its stream.
    private final class Slot: Sendable {
        private struct State {
            var change: Change?
            var producer: CheckedContinuation<Bool, Never>?
            var consumer: CheckedContinuation<Void, Never>?
            /// Whether the history has no more changes.
            var isFinished = false
            /// Whether the stream has ended.
            var isClosed = false
        }

        private let state = Mutex(State())

        var isFinished: Bool { state.withLock { $0.isFinished && $0.change == nil } }

        /// Puts a change in, and waits until it is taken.
        ///
        /// - Returns: False if the stream has ended.
        func put(_ change: Change, waking watch: ContentWatch) async -> Bool {
            await withCheckedContinuation { continuation in
                let isClosed = state.withLock { state in
                    guard !state.isClosed else { return true }
                    (state.change, state.producer) = (change, continuation)
                    return false
                }
                if isClosed { continuation.resume(returning: false) } else { wake(watch) }
            }
        }

        /// Waits until there is a change.
        ///
        /// - Returns: False if there will be none.
        func hasMore() async -> Bool {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isReady = state.withLock { state in
                    guard state.change == nil, !state.isFinished else { return true }
                    state.consumer = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
            return state.withLock { $0.change != nil }
        }

        private func wake(_ watch: ContentWatch) {
            let consumer = state.withLock { state in
                defer { state.consumer = nil }
                return state.consumer
            }
            consumer?.resume()
            watch.interrupt()
        }

        func take() -> Change? {
            let (change, producer) = state.withLock { state in
                defer { (state.change, state.producer) = (nil, nil) }
                return (state.change, state.producer)
            }
            producer?.resume(returning: true)
            return change
        }

        func finish(waking watch: ContentWatch) {
            state.withLock { $0.isFinished = true }
            wake(watch)
        }

        func close() {
            let producer = state.withLock { state in
                defer { (state.change, state.producer) = (nil, nil) }
                state.isClosed = true
                return state.producer
            }
            producer?.resume(returning: false)
        }
    }

    private let slot: Slot
    private let reader: Task<Void, Never>

    /// - Parameter watch: The wait of the stream, which each change and the end interrupt.
    init(_ changes: ResumedChanges, waking watch: ContentWatch) {
        let slot = Slot()
        self.slot = slot
        reader = Task {
            for await change in changes {
                guard await slot.put(change, waking: watch) else { return }
            }
            slot.finish(waking: watch)
        }
    }

    deinit {
        reader.cancel()
        slot.close()
    }

    /// Whether there are no more changes.
    var isFinished: Bool { slot.isFinished }

    /// Waits until there is a change; false if there will be none.
    func hasMore() async -> Bool { await slot.hasMore() }

    /// Takes the next change, if there is one already.
    func take() -> Change? { slot.take() }
}
