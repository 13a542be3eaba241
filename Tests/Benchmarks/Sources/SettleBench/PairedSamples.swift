/// Figures of a subject and of its limit; the two of a pair are taken one right after the other.
struct PairedSamples: Sendable {
    private var ours: [Double] = []
    private var limit: [Double] = []

    mutating func append(_ ours: Double, _ limit: Double) {
        self.ours.append(ours)
        self.limit.append(limit)
    }

    var medianOfRatios: Comparison {
        let ratios = zip(ours, limit).map { $0 / $1 }
        return Comparison(
            ours: quantile(0.5, of: ours), limit: quantile(0.5, of: limit), ratio: quantile(0.5, of: ratios))
    }

    /// For single latencies, whose spread would drown a ratio of two.
    func ratioOfQuantiles(_ fraction: Double) -> Comparison {
        let (ours, limit) = (quantile(fraction, of: ours), quantile(fraction, of: limit))
        return Comparison(ours: ours, limit: limit, ratio: ours / limit)
    }
}

/// The value below which this fraction of the samples lies.
func quantile(_ fraction: Double, of samples: [Double]) -> Double {
    guard !samples.isEmpty else { return .nan }
    let sorted = samples.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
}
