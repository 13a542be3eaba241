import Hummingbird

/// `GET /metrics`, in Prometheus's text format.
struct MetricsRoute: Sendable {
    let metrics: PrometheusMetrics
    let storeMetrics: StoreMetrics

    func add(to router: some RouterMethods<some RequestContext>) {
        router.get("metrics") { _, _ in
            storeMetrics.update()
            return Response(text: metrics.text())
        }
    }
}
