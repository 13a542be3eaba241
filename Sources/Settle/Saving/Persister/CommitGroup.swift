/// Commits and flushes that arrive together share one append and one sync: group commit.
///
/// The first request of a group enqueues the group's end behind everything already in the persister's queue. So
/// requests enqueued before that join the same group, and requests that arrive after its values have been taken get the
/// next one.
struct CommitGroup {
    private(set) var requests: [SaveRequest] = []
    /// Whether the group's end is in the queue.
    private var isEndScheduled = false
    /// The first value that was given up since the last flush.
    private var loss: SettingsError?

    var isEmpty: Bool { requests.isEmpty }

    /// Those that have written something. The others only wait for what was published before.
    var commits: [SaveRequest] { requests.filter(\.isCommit) }

    var hasCommits: Bool { requests.contains(where: \.isCommit) }

    /// What the storage has to check for the commits.
    var fences: [StorageBatch.Condition] {
        guard requests.contains(where: { !$0.fences.isEmpty }) else { return [] }
        return Set(commits.flatMap(\.fences))
            .sorted { ($0.name ?? "", $0.fencingNumber) < ($1.name ?? "", $1.fencingNumber) }.map { .under($0) }
    }

    /// Whether it is open whether one of the commits was stored.
    func mayBeStored(upTo revision: UInt64) -> Bool {
        requests.contains { $0.revision.map { $0 <= revision } ?? false }
    }

    /// - Returns: Whether the group's end has to be enqueued.
    mutating func join(_ request: SaveRequest) -> Bool {
        requests.append(request)
        defer { isEndScheduled = true }
        return !isEndScheduled
    }

    mutating func endBegins() { isEndScheduled = false }

    mutating func take(where isTaken: (SaveRequest) -> Bool) -> [SaveRequest] {
        let taken = requests.filter(isTaken)
        requests.removeAll(where: isTaken)
        return taken
    }

    mutating func takeAll() -> [SaveRequest] {
        defer { requests = [] }
        return requests
    }

    /// Others have replaced a value before it could be saved.
    mutating func lost(_ issue: SettingsError) { loss = loss ?? issue }

    /// The loss, for the flushes of a group that was saved. Commits succeed all the same: their own values are saved.
    ///
    /// - Parameter isAsked: Whether a caller waits that has not joined.
    mutating func takeLoss(isAsked: Bool) -> SettingsError? {
        guard (isAsked && requests.isEmpty) || requests.contains(where: { !$0.isCommit }) else { return nil }
        defer { loss = nil }
        return loss
    }
}
