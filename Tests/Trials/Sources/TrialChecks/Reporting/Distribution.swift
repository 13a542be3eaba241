/// Samples of one quantity.
public struct Distribution: Sendable {
    private var samples: [Int] = []

    public init() {}

    public mutating func add(_ sample: Int) {
        samples.append(sample)
    }

    public mutating func add(_ other: Distribution) {
        samples += other.samples
    }

    public var count: Int { samples.count }

    public var worst: Int { samples.max() ?? 0 }

    public var median: Int { quantile(0.5) }

    /// The smallest sample that at least this share of all samples does not exceed; 0 without samples.
    public func quantile(_ share: Double) -> Int {
        guard !samples.isEmpty else { return 0 }
        let rank = Int((share * Double(samples.count)).rounded(.up)) - 1
        return samples.sorted()[min(max(rank, 0), samples.count - 1)]
    }
}
