import CoreMetrics
import Settle
import Synchronization

/// Exports a store's statistics. The store does the counting; its counts are copied on request.
final class StoreMetrics: Sendable {
    private let store: SettingsStore
    private let factory: any MetricsFactory
    /// The counts exported so far, by name.
    private let told = Mutex<[String: Int64]>([:])

    init(of store: SettingsStore, factory: any MetricsFactory) {
        self.store = store
        self.factory = factory
    }

    func update() {
        let statistics = store.statistics
        told.withLock { told in
            for (name, count) in [
                ("settings_changes_total", statistics.changes),
                ("settings_external_changes_total", statistics.externalChanges),
                ("settings_saves_total", statistics.saves),
                ("settings_failed_saves_total", statistics.failedSaves),
            ] {
                let count = Int64(count)
                Counter(label: name, factory: factory).increment(by: count - told[name, default: 0])
                told[name] = count
            }
        }
        Meter(label: "settings_subscribers", factory: factory).set(statistics.subscribers)
        Meter(label: "settings_oldest_unsaved_change_seconds", factory: factory).set(store.status.age() / .seconds(1))
        update(store.settings)
    }

    private func update(_ settings: [SettingInfo]) {
        for domain in store.domains.map(\.name) {
            Meter(label: "settings_by_domain", dimensions: [("domain", domain.description)], factory: factory)
                .set(settings.count { $0.domain == domain })
        }
        Meter(label: "settings_covered", factory: factory).set(settings.count(where: \.isCovered))
        Meter(label: "settings_locked", factory: factory).set(settings.count { $0.lock != nil })
        Meter(label: "settings_unusable_values", factory: factory).set(settings.count { $0.problem != nil })
    }
}
