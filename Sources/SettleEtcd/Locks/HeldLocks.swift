import Settle

/// The named locks that this client holds. Pure.
struct HeldLocks: Sendable {
    private var locks: [String: LockLease] = [:]

    var names: [String] { locks.keys.sorted() }

    mutating func add(_ lock: LockLease) { locks[lock.name] = lock }

    mutating func remove(_ name: String) -> LockLease? { locks.removeValue(forKey: name) }

    /// The lock of a lease; `nil` if another has taken its place.
    subscript(lease: StorageLease) -> LockLease? {
        lease.name.flatMap { locks[$0] }.flatMap { $0.revision == Int64(clamping: lease.fencingNumber) ? $0 : nil }
    }

    /// A lock was renewed, unless another has taken its place meanwhile.
    mutating func renew(_ lock: LockLease) {
        if locks[lock.name]?.revision == lock.revision { locks[lock.name] = lock }
    }

    /// Removes the locks that are gone from the cluster.
    ///
    /// - Parameter followed: What the mirror knows beyond this revision may lack a lock.
    mutating func removeLost(in mirror: Mirror, followed: Int64) -> [LockLease] {
        let lost = locks.values.filter { lock in
            followed >= lock.revision && mirror.entries[KeySpace.lock(lock.name)]?.createRevision != lock.revision
        }
        for lock in lost { locks[lock.name] = nil }
        return lost
    }
}
