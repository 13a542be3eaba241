import TrialChecks

/// A wall clock that is set.
struct ClockMove: Equatable {
    /// The index of the service; the inner one is the last.
    var service: Int
    /// How far ahead of the machine's clock it is then, in seconds; negative if it is behind.
    var ahead: Int
}

/// The moves of wall clocks in a run, one with each disturbance, from a seed. They are drawn separately, so the
/// disturbances of a seed are the same as without them.
struct ClockPlan {
    private var random: SeededGenerator
    private let services: Int

    init(seed: UInt64, services: Int) {
        random = SeededGenerator(seed: ~seed)
        self.services = services
    }

    /// By minutes, hours, or more days than markers are kept.
    private static let spans = [3_600, 86_400, 60 * 86_400]

    mutating func next() -> ClockMove {
        let distance = Int.random(in: 60...(Self.spans.randomElement(using: &random) ?? 60), using: &random)
        return ClockMove(
            service: .random(in: 0..<services, using: &random),
            ahead: Bool.random(using: &random) ? distance : -distance)
    }
}
