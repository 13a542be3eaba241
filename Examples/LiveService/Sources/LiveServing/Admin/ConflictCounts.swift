import CoreMetrics

/// Counts what was taken back, and what could not be written because something had changed.
struct ConflictCounts: Sendable {
    private let conflicts: Counter
    private let undos: Counter

    init(factory: any MetricsFactory) {
        conflicts = Counter(label: "settings_conflicts_total", factory: factory)
        undos = Counter(label: "settings_undos_total", factory: factory)
        // A rate needs a first value, and that is none.
        conflicts.increment(by: 0)
        undos.increment(by: 0)
    }

    func conflict() { conflicts.increment() }
    func undone() { undos.increment() }
}
