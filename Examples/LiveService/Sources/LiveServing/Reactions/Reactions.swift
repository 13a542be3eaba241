import Logging
import ServiceLifecycle
import Settle

/// The service's own reactions to changed settings. Settings that a request needs are read when it arrives.
struct Reactions: Service {
    let settings: ServiceSettings
    let load: ServiceLoad
    let connections: Connections
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await reportMaintenance() }
                group.addTask { await limitConnections() }
            }
        }
    }

    /// Logs when maintenance may begin: once all earlier requests are done. If maintenance is switched off before that,
    /// the wait is cancelled.
    private func reportMaintenance() async {
        await settings.maintenance.$isOn.forEachLatest { isOn in
            guard isOn else { return }
            for await count in load.$requestsInProgress where count == 0 {
                logger.notice("Maintenance is on, and all requests have ended.")
                return
            }
        }
    }

    /// Applies changed limits to the connections that are open.
    private func limitConnections() async {
        for await _ in settings.connections.snapshots({ ConnectionLimits($0) }) { connections.reconsider() }
    }
}
