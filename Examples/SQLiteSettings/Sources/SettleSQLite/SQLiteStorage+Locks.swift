import Foundation
import GRDB
public import Settle
import Synchronization

/// Named locks: rows of a table, which end by their time if the process that holds them is killed.
extension SQLiteStorage {
    /// Returns `nil`: a batch has a condition instead.
    public func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }

    public func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        try checkLoaded()
        let (found, newest) = try inTransaction { database in
            (try tables.lock(name, for: seconds, in: database), try tables.newest(in: database))
        }
        guard let number = found else { return nil }
        let lease = StorageLease(
            name: name, fencingNumber: UInt64(number), position: StoragePosition(newest), timeToLive: leaseTime)
        state.withLock { _ = $0.leases.insert(lease) }
        return lease
    }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        let isHeld = try inTransaction { database in try tables.renew(lease, for: seconds, in: database) }
        guard isHeld else { throw lost(lease) }
        return lease
    }

    public func unlock(_ lease: StorageLease) async {
        state.withLock { _ = $0.leases.remove(lease) }
        // If the database can't be written, the lease ends by its time.
        _ = try? inTransaction { database in try tables.renew(lease, for: 0, in: database) }
    }

    func lost(_ lease: StorageLease) -> StorageError {
        StorageError(.leaseLost, "The lock “\(lease.name ?? "")” in \(name) is not held any more.")
    }

    private var seconds: TimeInterval { leaseTime / Duration.seconds(1) }

    /// Not async, so that SQLite is called on this thread.
    private func inTransaction<Value>(_ body: (Database) throws -> Value) throws(StorageError) -> Value {
        do { return try writer.write(body) } catch { throw storageError(error, .unavailable) }
    }
}
