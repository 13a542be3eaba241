// Settle 0.1.0-dev: copy this folder. The README of the example names the products that it needs.

import Foundation
internal import GRDB
public import Settle
import Synchronization

/// Named locks: rows of a table, which end by their time if the process that holds them is killed.
extension SQLiteStorage {
    /// Returns `nil`: a batch has a condition instead.
    public func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }

    public func tryLock(named lock: String) async throws(StorageError) -> StorageLease? {
        try checkLoaded()
        let taken = try mappingErrors(to: .unavailable) { try take(lock) }
        guard let number = taken.number else { return nil }
        let position = StoragePosition(UInt64(taken.newest))
        let lease = StorageLease(
            name: lock, fencingNumber: UInt64(number), position: position, timeToLive: leaseTime)
        state.withLock { _ = $0.leases.insert(lease) }
        return lease
    }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        let isHeld = try mappingErrors(to: .unavailable) { try end(lease, at: Self.currentTime + seconds) }
        guard isHeld else { throw lost(lease) }
        return lease
    }

    public func unlock(_ lease: StorageLease) async {
        state.withLock { _ = $0.leases.remove(lease) }
        // If the database can't be written, the lease ends by its time.
        _ = try? mappingErrors(to: .unavailable) { try end(lease, at: 0) }
    }

    /// Takes a lock that nobody holds.
    ///
    /// - Returns: Its new fencing number, `nil` if somebody holds it, and the newest position.
    private func take(_ lock: String) throws -> (number: Int64?, newest: Int64) {
        let now = Self.currentTime
        return try writer.write { database in
            let numbers = try Int64.fetchAll(
                database,
                sql: """
                    INSERT INTO \(table)_locks VALUES (?, 1, ?)
                    ON CONFLICT (name) DO UPDATE SET number = number + 1, expires = excluded.expires WHERE expires <= ?
                    RETURNING number
                    """,
                arguments: [lock, now + seconds, now])
            return (numbers.first, try newestPosition(in: database))
        }
    }

    /// Sets when a lease ends.
    ///
    /// - Returns: Whether it was held.
    private func end(_ lease: StorageLease, at time: TimeInterval) throws -> Bool {
        try writer.write { database in
            guard try isHeld(lease, in: database) else { return false }
            try database.execute(
                sql: "UPDATE \(table)_locks SET expires = ? WHERE name = ?", arguments: [time, lease.name])
            return true
        }
    }

    func isHeld(_ lease: StorageLease, in database: Database) throws -> Bool {
        try Int.fetchOne(
            database, sql: "SELECT COUNT(*) FROM \(table)_locks WHERE name = ? AND number = ? AND expires > ?",
            arguments: [lease.name, Int64(bitPattern: lease.fencingNumber), Self.currentTime]) == 1
    }

    func lost(_ lease: StorageLease) -> StorageError {
        StorageError(.leaseLost, "The lock “\(lease.name ?? "")” in \(name) is not held any more.")
    }

    private var seconds: TimeInterval { leaseTime / Duration.seconds(1) }

    /// Seconds since 1970, by a clock that all processes of the machine share.
    private static var currentTime: TimeInterval { Date().timeIntervalSince1970 }
}
