import SettleHTTP

/// The service's own metrics, beside those of the settings and their API.
struct ServiceMetrics: Sendable {
    let limits: RateLimitSettings
    let connections: Connections

    var all: [Metric] {
        let (perSecond, burst) = limits.snapshot { ($0.perSecond, $0.burst) }
        return [
            Metric(
                "rate_limit_per_second", .gauge, help: "Requests that the public endpoints accept each second.",
                Double(perSecond)),
            Metric("rate_limit_burst", .gauge, help: "Requests that they accept at once.", Double(burst)),
            Metric("http_connections", .gauge, help: "Open connections.", Double(connections.count)),
        ]
    }
}
