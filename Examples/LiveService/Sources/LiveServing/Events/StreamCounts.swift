import CoreMetrics

/// Counts the streams that go on where their clients left off, and those that can't.
struct StreamCounts: Sendable {
    private let resumptions: Counter
    private let losses: Counter

    init(factory: any MetricsFactory) {
        resumptions = Counter(label: "settings_resumptions_total", factory: factory)
        losses = Counter(label: "settings_lost_resumptions_total", factory: factory)
        // A rate needs a first value, and that is none.
        resumptions.increment(by: 0)
        losses.increment(by: 0)
    }

    func began(_ start: StreamStart) {
        if start != .anew { resumptions.increment() }
    }

    /// A stream went on with a snapshot, because what has come after its client's place is not known.
    func lost() { losses.increment() }
}
