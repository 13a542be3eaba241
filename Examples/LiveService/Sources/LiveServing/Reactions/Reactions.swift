import CoreMetrics
import Logging
import ServiceLifecycle
import Settle

/// What the service does by itself when a setting changes. What a request needs, it reads when it comes.
struct Reactions: Service {
    let settings: ServiceSettings
    let load: ServiceLoad
    let metrics: any MetricsFactory
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await tellWhenIdle() }
                group.addTask { await measureLimits() }
            }
        }
    }

    /// Says when maintenance may begin: once the requests that came before it are done. If maintenance is switched off before
    /// that, nobody needs to know any more, and the wait is cancelled.
    private func tellWhenIdle() async {
        await settings.maintenance.$isOn.forEachLatest { isOn in
            guard isOn else { return }
            for await count in load.$requestsInProgress where count == 0 {
                logger.notice("Maintenance is on, and no request is in progress any more.")
                return
            }
        }
    }

    /// Shows the limits beside what they limit.
    private func measureLimits() async {
        for await limits in settings.limits.snapshots({ RateLimit(perSecond: $0.perSecond, burst: $0.burst) }) {
            Meter(label: "rate_limit_per_second", factory: metrics).set(limits.perSecond)
            Meter(label: "rate_limit_burst", factory: metrics).set(limits.burst)
        }
    }
}

extension Reactions: CustomStringConvertible {
    /// What the log calls it.
    var description: String { "reactions" }
}
