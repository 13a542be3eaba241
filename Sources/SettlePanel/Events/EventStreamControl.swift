import Settle
import Synchronization

/// Ends a stream of events from outside, and wakes its followers for each heartbeat.
final class EventStreamControl: Sendable {
    private struct State: Sendable {
        var isEnded = false
        var parts: [Int: ContentWatch] = [:]
        var lastPart = 0
    }

    /// The part of one iterator, which ends with the iterator.
    final class Part: Sendable {
        private let whole: EventStreamControl
        private let number: Int
        private let tasks: [Task<Void, Never>]

        fileprivate init(of whole: EventStreamControl, _ number: Int, _ tasks: [Task<Void, Never>]) {
            (self.whole, self.number, self.tasks) = (whole, number, tasks)
        }

        deinit {
            for task in tasks { task.cancel() }
            // Release it without the lock: it may be the store's last reference.
            _ = whole.state.withLock { $0.parts.removeValue(forKey: number) }
        }

        /// Whether the stream was ended, or the session of its browser.
        var isEnded: Bool { whole.state.withLock { $0.isEnded } || whole.session?.isOpen == false }
    }

    private let heartbeat: Duration
    /// The session of the browser, which each iterator follows to its end; `nil` for no end.
    private let session: AdmittedSession?
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    init(
        heartbeat: Duration, session: AdmittedSession?, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.heartbeat, self.session, self.sleep) = (heartbeat, session, sleep)
    }

    func part(waking watch: ContentWatch) -> Part {
        let number = state.withLock { state in
            state.lastPart += 1
            state.parts[state.lastPart] = watch
            return state.lastPart
        }
        var tasks = [
            Task { [heartbeat, sleep] in
                while (try? await sleep(heartbeat)) != nil { watch.interrupt() }
            }
        ]
        if let lifetime = session?.lifetime {
            tasks.append(
                Task { [sleep] in
                    if (try? await sleep(lifetime)) != nil { self.end() }
                })
        }
        return Part(of: self, number, tasks)
    }

    /// Ends the existing iterators and those that begin later.
    func end() {
        let watches = state.withLock { state in
            state.isEnded = true
            return state.parts.values
        }
        for watch in watches { watch.interrupt() }
    }
}
