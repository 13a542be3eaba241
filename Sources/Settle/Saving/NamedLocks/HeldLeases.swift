/// The leases of the named locks that a store's tasks hold. Any thread may ask, also while the storage blocks the one
/// that acquires and releases locks.
final class HeldLeases: Sendable {
    private let leases = LockedValue<[String: StorageLease]>([:])

    var isEmpty: Bool { leases.withLock { $0.isEmpty } }

    subscript(name: String) -> StorageLease? { leases.withLock { $0[name] } }

    func add(_ lease: StorageLease, named name: String) { leases.withLock { $0[name] = lease } }

    @discardableResult
    func remove(_ name: String) -> StorageLease? { leases.withLock { $0.removeValue(forKey: name) } }

    /// Whether a lease is the current one of its name.
    func has(_ lease: StorageLease) -> Bool {
        lease.name.flatMap { self[$0] }?.fencingNumber == lease.fencingNumber
    }

    /// The leases of some locks. What is written under them is stored only while they last: a holder that was stopped
    /// for longer than its lease, or whose lock was removed, could otherwise write over what the next holder has
    /// written.
    func fences(of names: [String]) -> [StorageLease] {
        names.map { name in
            // One that is lost already has no number that the storage accepts.
            self[name] ?? StorageLease(name: name, position: StoragePosition(0), timeToLive: .zero)
        }
    }
}
