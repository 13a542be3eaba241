import Hummingbird
import Settle

/// `GET /metrics`, in Prometheus's text format.
struct MetricsRoute: Sendable {
    let metrics: PrometheusMetrics
    let storeMetrics: StoreMetrics
    let processMetrics: ProcessMetrics

    var endpoint: Endpoint {
        let operation = Operation(
            method: .get, path: "/metrics", summary: "Metrics in Prometheus's text format",
            answers: [.text("The metrics.", as: "text/plain")])
        return Endpoint(operation: operation) { _, _ in
            storeMetrics.update()
            processMetrics.update()
            return Response(text: metrics.text())
        }
    }
}
