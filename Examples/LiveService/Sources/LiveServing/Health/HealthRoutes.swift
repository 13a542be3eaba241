import Hummingbird
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Liveness and readiness, for the system that starts, stops and routes to the service.
struct HealthRoutes: Sendable {
    let store: SettingsStore
    let maintenance: MaintenanceSettings
    let load: ServiceLoad

    var endpoints: [Endpoint] { [live, ready] }

    private var live: Endpoint {
        let operation = Operation(
            method: .get, path: "/health/live", summary: "Whether the process works",
            answers: [.ok("It does.", schema(of: "live"))])
        // A process that can't save stays alive, because its unsaved changes are only in memory.
        return Endpoint(operation: operation) { _, _ in answer("live") }
    }

    private var ready: Endpoint {
        let operation = Operation(
            method: .get, path: "/health/ready", summary: "Whether the service should receive requests",
            answers: [
                .ok("It should.", schema(of: "ready")),
                .error(.serviceUnavailable, "It should not: changes can't be saved, maintenance is on, or it stops."),
            ])
        return Endpoint(operation: operation) { _, _ in
            let reasons = reasons
            guard reasons.isEmpty else { throw ServiceError(.serviceUnavailable, reasons.joined(separator: " ")) }
            return answer("ready")
        }
    }

    private func answer(_ status: String) -> Response {
        Response(json: ["status": .string(status), "settings": .string(words)])
    }

    private func schema(of status: String) -> Schema {
        .object(["status": .oneOf([status]), "settings": .oneOf(["saved", "pending", "saving", "failing"])])
    }

    /// Why the service should receive no requests now.
    private var reasons: [String] {
        var reasons: [String] = []
        if case .failing(let since, let error, _) = store.status {
            reasons.append("Settings can't be saved since \(since.formatted(.iso8601)): \(error)")
        }
        if load.isStopping { reasons.append("The service is stopping.") }
        if maintenance.isOn { reasons.append("Maintenance is on: \(maintenance.message)") }
        return reasons
    }

    /// The state of saving.
    private var words: String {
        switch store.status {
        case .saved, .fileBehind: "saved"
        case .pending: "pending"
        case .saving: "saving"
        case .failing: "failing"
        }
    }
}
