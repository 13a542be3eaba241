import TrialChecks

/// Something that is done to a node, to a service, or to what is between them.
struct Disturbance {
    enum Kind: String, CaseIterable {
        case nodeKilled = "nodes killed"
        case nodeStopped = "nodes stopped"
        case nodeCut = "nodes cut off"
        case clientKilled = "services killed"
        case clientStopped = "services stopped"
        case clientCut = "services cut off"
        case streamsHeld = "streams held back"
    }

    var kind: Kind
    var target: Int
    /// How long it lasts.
    var milliseconds: Int
    /// How long nothing is done after it.
    var rest: Int
}

/// What is done in a run, one thing after the other, from a seed.
struct DisturbancePlan {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> Disturbance {
        Disturbance(
            kind: Disturbance.Kind.allCases.randomElement(using: &random) ?? .nodeKilled,
            target: .random(in: 0..<6, using: &random), milliseconds: .random(in: 100...2_500, using: &random),
            rest: .random(in: 50...800, using: &random))
    }
}
