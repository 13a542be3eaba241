/// Commits and flushes that arrive together share one append and one sync: group commit.
///
/// The first request of a group enqueues the group's end behind all work in the persister's queue. So requests enqueued
/// before that end join the same group, and requests that arrive after the group's values have been taken get the next
/// one.
struct CommitGroup {
    private(set) var requests: [SaveRequest] = []
    /// The transactions that run on their callers' actors. Their values may be appended before they join.
    private(set) var visitors: [SaveRequest] = []
    /// Whether the group can't end before the visitors have. Meanwhile no other transaction begins.
    private(set) var awaitsVisitors = false
    /// Whether the group's end is in the queue.
    private var isEndScheduled = false
    /// The error of the first value that was given up since the last flush. Not as a ``SettingsError``, which makes a
    /// copy of the group, one for each append, several times as large.
    var loss: (any Error)?

    var isEmpty: Bool { requests.isEmpty }

    /// The requests that have written something. The others only wait for earlier changes.
    var commits: [SaveRequest] { requests.filter(\.isCommit) }

    var hasCommits: Bool { requests.contains(where: \.isCommit) }

    /// The keys that the commits have read; `nil` for any key. Visitors may have published values already.
    var reads: Set<SettingKey>? {
        guard visitors.isEmpty else { return nil }
        return requests.reduce(into: []) { reads, request in
            guard request.isCommit, let known = reads else { return }
            reads = request.reads.map(known.union)
        }
    }

    /// The leases under which the commits have run, and under which the visitors run.
    var fences: Set<StorageLease> { Set(requests.flatMap(\.fences) + visitors.flatMap(\.fences)) }

    /// The conditions that the storage has to check for them.
    var conditions: [StorageBatch.Condition] {
        fences.sorted { ($0.name ?? "", $0.fencingNumber) < ($1.name ?? "", $1.fencingNumber) }.map { .under($0) }
    }

    /// Returns whether it is undecided if one of the commits was stored.
    func mayBeStored(upTo revision: UInt64) -> Bool {
        requests.contains { !$0.isReading && $0.revision.map { $0 <= revision } ?? false }
    }

    mutating func join(_ request: SaveRequest) { requests.append(request) }

    /// - Returns: Whether the group's end has to be enqueued.
    mutating func scheduleEnd() -> Bool {
        defer { isEndScheduled = true }
        return !isEndScheduled
    }

    /// Records that a transaction begins on its caller's actor.
    mutating func begin(_ visitor: SaveRequest) { visitors.append(visitor) }

    /// Records that a transaction has ended on its caller's actor.
    ///
    /// - Returns: False if it has not begun.
    mutating func end(_ visitor: SaveRequest) -> Bool {
        guard let index = visitors.firstIndex(where: { $0 === visitor }) else { return false }
        visitors.remove(at: index)
        return true
    }

    /// Checks whether the group's end, which has come, must wait for the visitors.
    ///
    /// - Parameter isolation: The isolation of the visitors.
    /// - Returns: Whether the end has to be enqueued again, once these have ended.
    mutating func mustWait(_ isolation: TransactionIsolation) -> Bool {
        isEndScheduled = false
        awaitsVisitors = dependsOnVisitors(isolation)
        return awaitsVisitors
    }

    /// Returns whether visitors are under a lock or a condition, or would be undone with a commit that is: their values
    /// may depend on it.
    func dependsOnVisitors(_ isolation: TransactionIsolation) -> Bool {
        !visitors.isEmpty && (isolation.mayConflict || !fences.isEmpty)
    }

    mutating func take(where isTaken: (SaveRequest) -> Bool) -> [SaveRequest] {
        let taken = requests.filter(isTaken)
        requests.removeAll(where: isTaken)
        return taken
    }

    mutating func takeAll() -> [SaveRequest] {
        defer { requests = [] }
        return requests
    }

    /// Records that others have replaced a value before it could be saved.
    mutating func lost(_ issue: SettingsError) {
        if loss == nil { loss = issue }
    }
}
