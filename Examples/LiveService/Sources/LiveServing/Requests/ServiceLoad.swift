import Settle

/// What the service is doing at the moment: state that is observed like settings but lives only in memory, because no
/// store has opened it.
struct ServiceLoad: SettingsGroup {
    /// Requests to the public endpoints that have not been answered yet.
    @Setting var requestsInProgress = 0
    /// Whether a signal to stop has come. The service takes requests for a while yet, but should be sent none.
    @Setting var isStopping = false
}
