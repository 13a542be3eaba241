import GRDB
import Settle
import Synchronization

@testable import SettleSQLite

/// Loses the answers to batches that SQLite has committed.
final class LostAnswers: Sendable {
    private let count = Mutex(0)

    /// - Parameter number: How many more answers are lost.
    func set(_ number: Int) { count.withLock { $0 = number } }

    func concern(_ storage: SQLiteStorage) {
        storage.state.withLock { $0.didCommit = { [self] () throws(StorageError) in try answer() } }
    }

    private func answer() throws(StorageError) {
        let isLost = count.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
        if isLost { throw StorageError(.writeFailed, "The answer was lost.", isOutcomeUnknown: true) }
    }
}

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
