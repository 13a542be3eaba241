import AsyncAlgorithms
import Settle

/// What a stream of changes tells of, from the moment of its creation.
struct StreamChanges: Sendable {
    /// What happens while a stream is open.
    enum Occurrence: Sendable {
        /// A transaction of the file's history.
        case stored(Change)
        /// A transaction of this process, whatever its domain, when it was made.
        case inForce(Change)
        case heartbeat
        /// The store has closed.
        case end

        var isEnd: Bool {
            guard case .end = self else { return false }
            return true
        }
    }

    let start: StreamStart
    private let stored: ResumedChanges
    private let inForce: Changes
    private let heartbeats: Heartbeats

    init(of store: SettingsStore, from start: StreamStart, heartbeats: Heartbeats) {
        self.start = start
        self.heartbeats = heartbeats
        stored = store.history.changes(after: start.token)
        inForce = store.changes
    }

    /// In the order of each kind. What a slow reader has not asked for waits in the file and in the store's log, not
    /// here.
    var occurrences: some AsyncSequence<Occurrence, Never> & Sendable {
        merge(
            chain(stored.map { Occurrence.stored($0) }, [Occurrence.end].async),
            inForce.map { Occurrence.inForce($0) },
            heartbeats.map { Occurrence.heartbeat })
    }
}
