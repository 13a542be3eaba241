import Settle

/// The named locks that this client holds. Pure.
struct HeldLocks: Sendable {
    private var locks: [KeyName: LockLease] = [:]

    var names: [String] { locks.sorted { $0.key < $1.key }.map(\.value.name) }

    /// The revision at which the newest lock was taken; 0 if there is none.
    var newestRevision: Int64 { locks.values.reduce(0) { max($0, $1.revision) } }

    mutating func add(_ lock: LockLease) { locks[.lock(lock.name)] = lock }

    mutating func remove(_ name: String) -> LockLease? { locks.removeValue(forKey: .lock(name)) }

    /// The lock of a lease; `nil` if another lock has replaced it.
    subscript(lease: StorageLease) -> LockLease? {
        lease.name.flatMap { locks[.lock($0)] }.flatMap {
            $0.revision == Int64(clamping: lease.fencingNumber) ? $0 : nil
        }
    }

    /// Records the cluster's answer to a renewal.
    ///
    /// - Parameter seconds: The remaining time of the lease; 0 if it has ended.
    /// - Returns: `nil` if the lock is no longer held: its lease has ended, or it was released or lost while the answer
    ///   was on its way. A lock that has replaced it stays.
    mutating func renew(_ lock: LockLease, sent: Duration, seconds: Int64, margin: Duration) -> LockLease? {
        guard var held = locks[.lock(lock.name)], held.revision == lock.revision else { return nil }
        held.renew(sent: sent, seconds: seconds, margin: margin)
        locks[.lock(lock.name)] = seconds > 0 ? held : nil
        return locks[.lock(lock.name)]
    }

    /// Refuses a batch under a lease that has ended. The transaction compares the lease too.
    func check(_ conditions: [StorageBatch.Condition], now: Duration, in space: KeySpace) throws(StorageError) {
        for case .under(let lease) in conditions {
            guard self[lease]?.isHeld(now: now) == true else { throw space.leaseLost(lease) }
        }
    }

    /// Removes the locks that no longer exist in the cluster.
    ///
    /// - Parameter followed: The revision up to which changes were followed. Beyond it, the mirror may lack a lock.
    mutating func removeLost(in mirror: Mirror, followed: Int64) -> [LockLease] {
        let lost = locks.filter { name, lock in
            followed >= lock.revision && mirror.entries[name]?.createRevision != lock.revision
        }
        for name in lost.keys { locks[name] = nil }
        return Array(lost.values)
    }
}
