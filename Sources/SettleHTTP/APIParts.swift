import Settle

/// The parts of an API that its routes share.
final class APIParts: Sendable {
    let store: SettingsStore
    let configuration: SettingsAPI.Configuration
    let counts = RequestCounts()
    let refusals = RefusalCounts()
    let streams: StreamHub
    let answers: IdempotencyStore
    let representations = RepresentationCache()

    init(_ store: SettingsStore, _ configuration: SettingsAPI.Configuration) {
        (self.store, self.configuration) = (store, configuration)
        streams = StreamHub(
            limit: configuration.streamLimit, heartbeat: configuration.heartbeat,
            stallLimit: configuration.streamStallLimit, sleep: configuration.sleep)
        answers = IdempotencyStore(
            limit: configuration.idempotencyLimit, lifetime: configuration.idempotencyLifetime / .seconds(1))
    }

    /// Returns the settings within a client's reach.
    func settings(for client: APIClient) -> [SettingInfo] {
        client.reachable(store.settings, by: \.key, in: store)
    }
}
