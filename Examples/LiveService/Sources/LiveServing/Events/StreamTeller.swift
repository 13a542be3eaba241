import Settle

/// Tells one client what happens, and remembers what it knows.
struct StreamTeller {
    private let events: ChangeEvents
    /// Whether the client knows a place in the file's history.
    private var hasPlace: Bool
    /// What is in force instead of the file's values, as the client knows it.
    private var covered: [SettingValue]
    /// Whether some of the file's values can't be used, as far as the client knows.
    private var hasProblems = false
    /// Whether the client lost its place with the newest event.
    private(set) var isLost = false

    init(_ events: ChangeEvents, from start: StreamStart) throws {
        self.events = events
        hasPlace = start != .anew
        covered = []
        _ = try readCovered()
    }

    /// The first event.
    var beginning: ServerSentEvent { events.covered(covered) }

    mutating func events(for occurrence: StreamChanges.Occurrence) throws -> [ServerSentEvent] {
        isLost = false
        switch occurrence {
        case .stored(let change):
            defer { hasPlace = true }
            guard change.snapshot != nil else { return [events.change(change)] + (try problems(after: change)) }
            isLost = hasPlace
            return [events.snapshot(change, isLoss: hasPlace)] + (try problems(after: nil))
        case .inForce(let change):
            // The file's come with their place, once they have one.
            guard change.domain != .application || change.missed != .nothing else { return [] }
            _ = try readCovered()
            return [events.covered(covered, after: change.domain == .application ? nil : change)]
        case .heartbeat:
            // Nothing is told when a value of the file turns out not to be usable.
            return [try readCovered() ? events.covered(covered) : .comment("still here")]
        case .end: return []
        }
    }

    /// A value of the file that can't be used is not in force, until a usable one takes its place.
    private mutating func problems(after change: Change?) throws -> [ServerSentEvent] {
        let mayDiffer = change?.mutations.contains { events.store.keys.setting(forKey: $0.key)?.problem != nil } ?? true
        guard hasProblems || mayDiffer, try readCovered() else { return [] }
        return [events.covered(covered)]
    }

    /// - Returns: Whether it differs from what the client knows.
    private mutating func readCovered() throws -> Bool {
        let now = try Listing(of: events.store).covered
        defer { covered = now }
        hasProblems = events.store.settings.contains { $0.problem != nil }
        return now != covered
    }
}
