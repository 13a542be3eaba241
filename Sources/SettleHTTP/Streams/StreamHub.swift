import Settle
import Synchronization

/// The open streams of an API: limits their number, and wakes them for heartbeats.
final class StreamHub: Sendable {
    /// The state of one stream. Its owner has to remove it from the hub.
    final class Entry: Sendable {
        fileprivate struct State {
            var waiter: Waiter?
            var beats: UInt64 = 0
            /// The heartbeats, from 1 on, since something was given to the client that it has not taken.
            var idleBeats = 0
            var isEnded = false
        }

        fileprivate let state = Mutex(State())

        fileprivate init() {}

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
        ///
        /// - Returns: False if it had ended before.
        @discardableResult
        func end() -> Bool {
            let (waiter, hadEnded) = state.withLock { state -> (Waiter?, Bool) in
                defer { state.isEnded = true }
                return (state.waiter, state.isEnded)
            }
            waiter?.interrupt()
            return !hadEnded
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

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var stalled: UInt64 = 0
        var ticking: Task<Void, Never>?
    }

    private let limit: Int
    private let heartbeat: Duration
    /// How many heartbeats a client may take nothing.
    private let stallBeats: Int
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    init(
        limit: Int, heartbeat: Duration, stallLimit: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.limit, self.heartbeat, self.sleep) = (limit, heartbeat, sleep)
        // One more: the first heartbeat may come at once.
        stallBeats = max(1, Int(exactly: (stallLimit / heartbeat).rounded(.up)) ?? 1) + 1
    }

    /// How many streams are open.
    var count: Int { state.withLock { $0.entries.count } }

    /// How many streams were ended because their clients took nothing.
    var stalledCount: UInt64 { state.withLock { $0.stalled } }

    /// Adds a stream, until ``remove(_:)``; `nil` if there are too many.
    func add() -> Entry? {
        state.withLock { state in
            guard state.entries.count < limit else { return nil }
            let entry = Entry()
            state.entries[ObjectIdentifier(entry)] = entry
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

    /// Removes a stream that the server has released.
    func remove(_ entry: Entry) {
        state.withLock { _ = $0.entries.removeValue(forKey: ObjectIdentifier(entry)) }
    }

    /// Ends a stream because its client takes nothing.
    func stall(_ entry: Entry) {
        if entry.end() { state.withLock { $0.stalled += 1 } }
    }

    /// - Returns: Whether there are streams.
    private func beat() -> Bool {
        let entries = state.withLock { state in
            if state.entries.isEmpty { state.ticking = nil }
            return Array(state.entries.values)
        }
        // A stream that is ended counts until it is removed: till then the server waits to write to its client.
        let stalled = entries.count { $0.beat(limit: stallBeats) }
        state.withLock { $0.stalled += UInt64(stalled) }
        return !entries.isEmpty
    }
}
