import CoreMetrics
import Synchronization

/// A metric: a counter, a gauge, or the count and sum of recorded values.
final class PrometheusMetric: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String {
        case counter, gauge, summary
    }

    private struct State {
        var value = 0.0
        var count = 0
    }

    let kind: Kind
    private let state = Mutex(State())

    init(_ kind: Kind) {
        self.kind = kind
    }

    func lines(name: String, labels: String) -> String {
        let state = state.withLock { $0 }
        let labels = labels.isEmpty ? "" : "{\(labels)}"
        return switch kind {
        case .counter, .gauge: "\(name)\(labels) \(Self.spelled(state.value))\n"
        case .summary: "\(name)_count\(labels) \(state.count)\n\(name)_sum\(labels) \(Self.spelled(state.value))\n"
        }
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
        switch kind {
        case .counter, .gauge: set(value)
        case .summary: add(value)
        }
    }

    private func add(_ amount: Double) {
        state.withLock { state in
            state.value += amount
            state.count += 1
        }
    }

    private static func spelled(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
