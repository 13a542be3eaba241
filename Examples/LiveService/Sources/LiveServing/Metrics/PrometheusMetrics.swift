public import CoreMetrics
import Synchronization

/// Collects metrics and spells them in Prometheus's text format.
///
/// Its handlers live as long as it does: a label with dimensions is one metric, however often it is requested.
public final class PrometheusMetrics: MetricsFactory {
    private struct Identity: Hashable {
        let name: String
        let labels: String
    }

    private let metrics = Mutex<[Identity: PrometheusMetric]>([:])
    private let help: [String: String]

    /// - Parameter help: What each metric is, by its name.
    public init(help: [String: String] = [:]) {
        self.help = help
    }

    /// All metrics, sorted by name.
    public func text() -> String {
        let metrics = metrics.withLock { $0 }
        var text = ""
        for (name, group) in Dictionary(grouping: metrics, by: \.key.name).sorted(by: { $0.key < $1.key }) {
            guard let kind = group.first?.value.kind else { continue }
            if let help = help[name] { text += "# HELP \(name) \(Self.escaped(help: help))\n" }
            text += "# TYPE \(name) \(kind.rawValue)\n"
            for (identity, metric) in group.sorted(by: { $0.key.labels < $1.key.labels }) {
                text += metric.lines(name: identity.name, labels: identity.labels)
            }
        }
        return text
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        metric(.counter, label, dimensions)
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        metric(.counter, label, dimensions)
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        metric(.gauge, label, dimensions)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        metric(aggregate ? .histogram : .gauge, label, dimensions)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        metric(.histogram, label, dimensions)
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func metric(
        _ kind: PrometheusMetric.Kind, _ label: String, _ dimensions: [(String, String)]
    ) -> PrometheusMetric {
        let labels = dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        // Prometheus has no dots in names.
        let identity = Identity(name: label.replacing(".", with: "_"), labels: labels)
        return metrics.withLock { metrics in
            if let metric = metrics[identity] { return metric }
            let metric = PrometheusMetric(kind)
            metrics[identity] = metric
            return metric
        }
    }

    private static func escaped(help: String) -> String {
        help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    private static func escaped(_ value: String) -> String {
        escaped(help: value).replacing("\"", with: "\\\"")
    }
}
