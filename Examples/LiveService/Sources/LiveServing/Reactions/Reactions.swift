import CoreMetrics
import Logging
import ServiceLifecycle
import Settle

/// The service's own reactions to changed settings. Settings that a request needs are read when it arrives.
struct Reactions: Service {
    let settings: ServiceSettings
    let load: ServiceLoad
    let connections: Connections
    let metrics: any MetricsFactory
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await tellWhenIdle() }
                group.addTask { await measureLimits() }
                group.addTask { await limitConnections() }
            }
        }
    }

    /// Logs when maintenance may begin: once all earlier requests are done. If maintenance is switched off before that,
    /// the wait is cancelled.
    private func tellWhenIdle() async {
        await settings.maintenance.$isOn.forEachLatest { isOn in
            guard isOn else { return }
            for await count in load.$requestsInProgress where count == 0 {
                logger.notice("Maintenance is on, and no request is in progress any more.")
                return
            }
        }
    }

    /// Exports the limits next to what they limit.
    private func measureLimits() async {
        for await limits in settings.limits.snapshots({ RateLimit(perSecond: $0.perSecond, burst: $0.burst) }) {
            Meter(label: "rate_limit_per_second", factory: metrics).set(limits.perSecond)
            Meter(label: "rate_limit_burst", factory: metrics).set(limits.burst)
        }
    }

    /// Applies changed limits to the connections that are open.
    private func limitConnections() async {
        for await _ in settings.connections.snapshots({ ConnectionLimits($0) }) { connections.reconsider() }
    }
}

extension Reactions: CustomStringConvertible {
    /// The name in the log.
    var description: String { "reactions" }
}
