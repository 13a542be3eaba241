/// The leases of the named locks that a store's tasks hold. Any thread may ask, even while the storage blocks the
/// thread that acquires and releases locks.
final class HeldLeases: Sendable {
    private let leases = LockedValue<[String: StorageLease]>([:])

    var isEmpty: Bool { leases.withLock { $0.isEmpty } }

    subscript(name: String) -> StorageLease? { leases.withLock { $0[name] } }

    func add(_ lease: StorageLease, named name: String) { leases.withLock { $0[name] = lease } }

    @discardableResult
    func remove(_ name: String) -> StorageLease? { leases.withLock { $0.removeValue(forKey: name) } }

    /// Returns whether a lease is the current one of its name.
    func has(_ lease: StorageLease) -> Bool {
        lease.name.flatMap { self[$0] }?.fencingNumber == lease.fencingNumber
    }

    /// Returns the leases of some locks. Values written under them are stored only while they last. Otherwise a holder
    /// that was stopped for longer than its lease, or whose lock was removed, could overwrite the values of the next
    /// holder.
    func fences(of names: [String]) -> [StorageLease] {
        names.map { name in
            // A lost lease has no number that the storage accepts.
            self[name] ?? StorageLease(name: name, position: StoragePosition(0), timeToLive: .zero)
        }
    }
}
