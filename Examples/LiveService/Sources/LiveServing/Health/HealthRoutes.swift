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

    func add(to router: some RouterMethods<some RequestContext>) {
        // A process that can't save stays alive, because its unsaved changes are only in memory.
        router.get("health/live") { _, _ in Response(json: ["status": .string("live"), "settings": .string(words)]) }
        router.get("health/ready") { _, _ in
            let reasons = reasons
            guard reasons.isEmpty else { throw ServiceError(.serviceUnavailable, reasons.joined(separator: " ")) }
            return Response(json: ["status": .string("ready"), "settings": .string(words)])
        }
    }

    /// Why the service should receive no requests now.
    private var reasons: [String] {
        var reasons: [String] = []
        if case .failing(let since, let error, _) = store.status {
            reasons.append("Settings can't be saved since \(since.formatted(.iso8601)): \(error)")
        }
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
