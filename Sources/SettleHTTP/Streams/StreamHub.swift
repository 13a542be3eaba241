import Settle
import Synchronization

/// The open streams of an API: limits their number, and wakes them for heartbeats.
final class StreamHub: Sendable {
    /// A stream's entry, which ends with the stream.
    final class Entry: Sendable {
        fileprivate struct State {
            var waiter: Waiter?
            var beats: UInt64 = 0
            /// The heartbeats, from 1 on, since something was given to the client that it has not taken.
            var idleBeats = 0
            var isEnded = false
        }

        private let hub: StreamHub
        private let number: Int
        fileprivate let state = Mutex(State())

        fileprivate init(_ hub: StreamHub, _ number: Int) {
            (self.hub, self.number) = (hub, number)
        }

        deinit { hub.remove(number) }

        var isEnded: Bool { state.withLock { $0.isEnded } }

        /// Begins a loop. Its wait is interrupted for each heartbeat and by the end.
        func begin(waking waiter: Waiter) {
            state.withLock { $0.waiter = waiter }
        }

        /// How many heartbeats there were.
        var beats: UInt64 { state.withLock { $0.beats } }

        /// Records that the client has taken what it was given.
        func resume() {
            state.withLock { $0.idleBeats = 0 }
        }

        /// Records that something is given to the client.
        func give() {
            state.withLock { $0.idleBeats = 1 }
        }

        /// Ends the stream, from any thread.
        func end() {
            let waiter = state.withLock { state in
                state.isEnded = true
                return state.waiter
            }
            waiter?.interrupt()
        }

        /// Ends the stream because its client takes nothing.
        func stall() {
            let isNew = state.withLock { !$0.isEnded }
            end()
            if isNew { hub.countStalled() }
        }

        /// - Parameter limit: How many heartbeats a client may take nothing.
        /// - Returns: Whether the stream is ended because of that.
        fileprivate func beat(limit: Int) -> Bool {
            let (waiter, isStalled) = state.withLock { state -> (Waiter?, Bool) in
                state.beats += 1
                if state.idleBeats > 0 { state.idleBeats += 1 }
                guard state.idleBeats > limit, !state.isEnded else { return (state.waiter, false) }
                state.isEnded = true
                return (state.waiter, true)
            }
            waiter?.interrupt()
            return isStalled
        }
    }

    private struct Reference {
        weak var entry: Entry?
    }

    private struct State {
        var entries: [Int: Reference] = [:]
        var lastNumber = 0
        var stalled: UInt64 = 0
        var ticking: Task<Void, Never>?
    }

    private let limit: Int
    private let heartbeat: Duration
    private let stallBeats: Int
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    init(
        limit: Int, heartbeat: Duration, stallLimit: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.limit, self.heartbeat, self.sleep) = (limit, heartbeat, sleep)
        stallBeats = max(1, Int(exactly: (stallLimit / heartbeat).rounded(.up)) ?? 1)
    }

    /// How many streams are open.
    var count: Int { state.withLock { $0.entries.count } }

    /// How many streams were ended because their clients took nothing.
    var stalledCount: UInt64 { state.withLock { $0.stalled } }

    /// Adds a stream; `nil` if there are too many.
    func add() -> Entry? {
        state.withLock { state in
            guard state.entries.count < limit else { return nil }
            state.lastNumber += 1
            let entry = Entry(self, state.lastNumber)
            state.entries[state.lastNumber] = Reference(entry: entry)
            if state.ticking == nil {
                state.ticking = Task { [weak self, sleep, heartbeat] in
                    while (try? await sleep(heartbeat)) != nil {
                        guard let self, self.beat() else { return }
                    }
                }
            }
            return entry
        }
    }

    private func countStalled() {
        state.withLock { $0.stalled += 1 }
    }

    private func remove(_ number: Int) {
        state.withLock { _ = $0.entries.removeValue(forKey: number) }
    }

    /// - Returns: Whether there are streams.
    private func beat() -> Bool {
        // Released after the lock: the last reference to an entry removes it.
        let entries = state.withLock { state in
            if state.entries.isEmpty { state.ticking = nil }
            return state.entries.mapValues { $0.entry }
        }
        // An entry that is ended counts until it is released: till then the server waits to write to its client.
        let stalled = entries.values.count { $0?.beat(limit: stallBeats) == true }
        state.withLock { $0.stalled += UInt64(stalled) }
        return !entries.isEmpty
    }
}
