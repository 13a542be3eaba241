import CoreMetrics
import Synchronization

/// A metric: a counter, a gauge, or the distribution of recorded values.
final class PrometheusMetric: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String {
        case counter, gauge, histogram
    }

    private struct State {
        /// The value, or the sum of the recorded ones.
        var value = 0.0
        /// How many recorded values belong to each bucket; the last one is for those above all bounds.
        var counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    let kind: Kind
    private let state = Mutex(State())

    /// The highest value of each bucket. Those of Prometheus's own libraries, in seconds.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    init(_ kind: Kind) {
        self.kind = kind
    }

    func lines(name: String, labels: String) -> String {
        let state = state.withLock { $0 }
        guard kind == .histogram else { return Self.line(name, labels, state.value) }
        var text = ""
        var count = 0
        for (bound, more) in zip(Self.bounds + [.infinity], state.counts) {
            count += more
            let bound = "le=\"\(Self.spelled(bound))\""
            text += Self.line("\(name)_bucket", labels.isEmpty ? bound : "\(labels),\(bound)", Double(count))
        }
        return text + Self.line("\(name)_sum", labels, state.value) + Self.line("\(name)_count", labels, Double(count))
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func reset() { set(0.0) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        guard kind == .histogram else { return set(value) }
        let bucket = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.value += value
            state.counts[bucket] += 1
        }
    }

    private func add(_ amount: Double) {
        state.withLock { $0.value += amount }
    }

    private static func line(_ name: String, _ labels: String, _ value: Double) -> String {
        labels.isEmpty ? "\(name) \(spelled(value))\n" : "\(name){\(labels)} \(spelled(value))\n"
    }

    private static func spelled(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
