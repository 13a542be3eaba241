/// The persister's work, piece by piece, first come, first served.
///
/// A storage call may suspend, and then an actor starts whatever else it was asked to do. A save must not begin in the
/// middle of another one, so each piece waits here until the one before it has ended.
final class WorkQueue: Sendable {
    typealias Work = @Sendable (isolated Persister) async -> Void

    private struct State {
        var waiting: [Work] = []
        var isBusy = false
    }

    private let state = LockedValue(State())

    /// - Returns: Whether the caller has to run the queue, because nothing does.
    func add(_ work: @escaping Work) -> Bool {
        state.withLock { state in
            state.waiting.append(work)
            defer { state.isBusy = true }
            return !state.isBusy
        }
    }

    /// Runs everything that waits, also what is added meanwhile.
    func run(on persister: isolated Persister) async {
        while let works = next() {
            for work in works { await work(persister) }
        }
    }

    private func next() -> [Work]? {
        state.withLock { state in
            defer { state.waiting = [] }
            state.isBusy = !state.waiting.isEmpty
            return state.isBusy ? state.waiting : nil
        }
    }
}
