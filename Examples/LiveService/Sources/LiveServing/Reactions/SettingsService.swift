import Logging
import ServiceLifecycle
import Settle

/// Keeps the store, and logs each of its changes.
///
/// As the first service of its group it is the last to end: it then closes the store, which saves everything and ends
/// the streams after the last change. So no change goes unsaved or unlogged.
struct SettingsService: Service {
    let store: SettingsStore
    let logger: Logger
    /// The changes to log, from before the first one could be made.
    let changes: Changes
    /// Problems without an error to throw, such as an unusable edit of the file.
    let issues: AsyncStream<SettingsError>

    init(_ store: SettingsStore, logger: Logger) {
        (self.store, self.logger) = (store, logger)
        (changes, issues) = (store.changes, store.issues)
    }

    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { for await change in changes { log(change) } }
            group.addTask { for await issue in issues { logger.warning("\(issue)") } }
            try await cancelWhenGracefulShutdown { try await store.run() }
            try await store.close()
        }
    }

    private func log(_ change: Change) {
        if let count = change.missed.count, count > 0 { logger.warning("\(count) changes came too fast to be logged.") }
        if let sentence = change.sentence { logger.notice("\(sentence)") }
    }
}
