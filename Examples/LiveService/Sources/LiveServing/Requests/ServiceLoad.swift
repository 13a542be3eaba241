import Settle

/// What the service is doing at the moment: state that is observed like settings and that no store has opened, so that it is
/// in memory only.
struct ServiceLoad: SettingsGroup {
    /// Requests of the public endpoints whose answers are not ready yet.
    @Setting var requestsInProgress = 0
}
