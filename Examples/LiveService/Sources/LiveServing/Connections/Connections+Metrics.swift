import CoreMetrics
import HTTPTypes

extension Connections {
    func measure() {
        Meter(label: "http_connections", factory: factory).set(count)
    }

    /// A connection was closed though its client had not asked for it.
    func cutOff(because reason: String) {
        Counter(label: "http_connections_cut_off_total", dimensions: [("reason", reason)], factory: factory).increment()
    }

    /// A request was answered that could not be delivered, such as one that is not HTTP.
    func refused(_ error: ServiceError) {
        Counter(
            label: "http_requests_total",
            dimensions: [("method", "none"), ("route", "none"), ("status", "\(error.status.code)")], factory: factory
        ).increment()
    }
}
