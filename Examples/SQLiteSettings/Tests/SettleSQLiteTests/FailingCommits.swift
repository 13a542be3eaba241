import GRDB
import Settle
import SettleTesting
import Synchronization

/// Undoes each commit of a connection, and leaves open whether it was stored, as a failed sync does.
final class FailingCommits: TransactionObserver, Sendable {
    private let isHealed = Mutex(false)

    func heal() { isHealed.withLock { $0 = true } }

    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillCommit() throws {
        if !isHealed.withLock({ $0 }) { throw DatabaseError(resultCode: .SQLITE_IOERR_FSYNC) }
    }

    func databaseDidCommit(_ database: Database) {}

    func databaseDidRollback(_ database: Database) {}
}

extension FailingStorage {
    /// Loses the answers to batches that the storage has stored.
    func loseAnswers(count: Int = .max) {
        let lost = StorageError(.writeFailed, "The answer was lost.", isOutcomeUnknown: true)
        fail(.append, with: lost, count: count, moment: .after)
    }
}
