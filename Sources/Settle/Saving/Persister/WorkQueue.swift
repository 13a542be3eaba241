/// The persister's work, piece by piece, first come, first served.
///
/// A storage call may suspend, and then an actor starts any other work it was asked to do. A save must not begin in the
/// middle of another one, so each piece waits here until the one before it has ended.
final class WorkQueue: Sendable {
    typealias Work = @Sendable (isolated Persister) async -> Void

    enum Piece: Sendable {
        // One of each of these at a time waits, which does all that those behind it would have done. Otherwise they
        // would pile up before a flush: looks at what is due even ever faster, because each that finds more to do adds
        // one, and each write another.

        /// Whatever is due when its turn comes.
        case due
        /// Fetching what others have stored, and publishing it.
        ///
        /// - Parameter isHere: See ``Persister/deliver(isHere:)``.
        case delivery(isHere: Bool)

        case work(Work)
        /// The acceptance of a request, which may be cancelled until then.
        case request(SaveRequest)

        var request: SaveRequest? { if case .request(let request) = self { request } else { nil } }
    }

    /// The step that starts added work.
    enum Start {
        case nothing
        case task
        /// - Parameter endsVisit: Whether the wait may not have begun yet, on the thread of a visitor: resumed from
        ///   another thread, the work would run there. See ``QueueExecutor/resumeBehindVisit(_:)``.
        case resumption(UnsafeContinuation<Void, Never>, endsVisit: Bool)
    }

    private enum Runner {
        case none, busy
        case idle(UnsafeContinuation<Void, Never>, endsVisit: Bool)
    }

    private struct State {
        var waiting: [Piece] = []
        var (isDueWaiting, isDeliveryWaiting) = (false, false)
        var runner = Runner.none
    }

    private let state = LockedValue(State())

    /// The maximum number of requests that are accepted together. Their transactions run under one turn of the writer's
    /// lock, for which all other writers wait.
    static let mostTogether = 64

    /// The number of pieces that have not begun. For tests.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Adds a piece behind all earlier ones.
    func add(_ piece: Piece) -> Start {
        state.withLock { state in
            switch piece {
            case .due:
                if state.isDueWaiting { return .nothing }
                state.isDueWaiting = true
            case .delivery:
                if state.isDeliveryWaiting { return .nothing }
                state.isDeliveryWaiting = true
            case .work, .request: break
            }
            state.waiting.append(piece)
            defer { state.runner = .busy }
            return switch state.runner {
            case .none: .task
            case .busy: .nothing
            case .idle(let continuation, let endsVisit): .resumption(continuation, endsVisit: endsVisit)
            }
        }
    }

    /// Removes a cancelled request. Otherwise such requests would pile up behind a storage that does not answer.
    func remove(_ request: SaveRequest) {
        state.withLock { $0.waiting.removeAll { $0.request === request } }
    }

    /// Runs all added work until the persister is closed.
    ///
    /// Between two pieces of work the task waits: resuming it costs one trip to the persister's queue. A new task,
    /// which would start elsewhere, would cost two.
    func run(on persister: isolated Persister) async {
        var works: [Piece] = []
        while true {
            state.withLock { state in
                if state.waiting.isEmpty, persister.isClosed { state.runner = .none }
                // The emptied array goes back with its memory.
                swap(&works, &state.waiting)
                (state.isDueWaiting, state.isDeliveryWaiting) = (false, false)
            }
            if works.isEmpty, persister.isClosed { return }
            var rest = works[...]
            while let piece = rest.popFirst() {
                switch piece {
                case .due: await persister.doWhatIsDue()
                case .delivery(let isHere): await persister.deliverSignalled(isHere: isHere)
                case .work(let work): await work(persister)
                case .request(let first):
                    // Those that have come one after the other are accepted together, except with a visitor, who waits
                    // for the first one only.
                    let most = persister.executor.isVisited ? 0 : Self.mostTogether - 1
                    let others = rest.prefix(most).prefix(while: { $0.request != nil })
                    rest = rest.dropFirst(others.count)
                    await persister.accept([first] + others.compactMap(\.request))
                }
                await persister.updateFeed()
                if !rest.isEmpty { await persister.executor.endVisit() }
            }
            rest = []
            works.removeAll(keepingCapacity: works.count <= Self.mostTogether)
            if !persister.isClosed { await waitForWork(of: persister.executor) }
        }
    }

    private nonisolated(nonsending) func waitForWork(of executor: QueueExecutor) async {
        await withUnsafeContinuation { continuation in
            // Before the state changes: from then on, another thread may resume this wait.
            let endsVisit = executor.isVisited
            let isIdle = state.withLock { state in
                if state.waiting.isEmpty { state.runner = .idle(continuation, endsVisit: endsVisit) }
                return state.waiting.isEmpty
            }
            if isIdle { executor.leave() } else { executor.resumeAfterVisit(continuation) }
        }
    }
}
