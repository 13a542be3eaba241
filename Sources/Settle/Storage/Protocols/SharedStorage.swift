/// A storage that others change too: processes that share a file, or machines that share a server.
///
/// The store remembers the ``StoragePosition`` up to which it has merged the changes of others, and asks for later
/// ones. The storage chooses how to isolate the commits of several stores:
///
/// - ``lockForTransaction()`` gives a lock. Under it no other client appends, so a commit's closure need not run again.
///   Three calls make a commit: lock, append, unlock.
/// - Without such a lock, a commit's batch has the condition ``StorageBatch/Condition/at(_:)``. If others were faster,
///   the append throws ``StorageError/Code/conflict``; the store undoes the commit, merges their changes, and runs its
///   closure again. The answer to a batch may also be lost, and the store gives up its values if others have replaced
///   some of them. Then the store does not know whether the batch was stored: if it was, ``changes(after:)`` has to
///   report it, with the ``ExternalChange/batch``.
public protocol SharedStorage: Storage {
    /// Returns the changes of others after a position, oldest first, without values that a later batch of this storage
    /// has overwritten, and without this storage's own batches. One exception: without a lock for transactions, it
    /// includes an own batch whose outcome it has since reported as unknown, if that turns out to be stored.
    ///
    /// - Parameter position: The last one that the store was given with a load, with changes, or with the receipt of a
    ///   batch that it appended under the lock for transactions or on the condition of a position.
    /// - Throws: ``StorageError`` if the changes can't be determined now. Nothing is lost; the next call returns them.
    func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges

    /// Registers a function to call for each ``StorageEvent``, until the storage closes. Called once, after a
    /// successful load; the store then asks for the changes since. Returns immediately. The function returns
    /// immediately too, and may be called on any thread.
    func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void)

    /// Prevents others from appending, from the position in the lease on, until ``unlock(_:)``.
    ///
    /// - Returns: `nil` if this storage has no such lock.
    /// - Throws: ``StorageError`` with ``StorageError/Code/locked`` if another store has held it for too long.
    func lockForTransaction() async throws(StorageError) -> StorageLease?

    /// Acquires a lock that excludes only callers who ask for the same name, in all processes and on all machines that
    /// share the storage. May be called at the same time as any other call, on another thread.
    ///
    /// - Parameter name: 1 to 64 ASCII letters, digits, hyphens and underscores.
    /// - Returns: `nil` if the name is locked already. Must not wait for it; the store tries again a moment later.
    /// - Throws: ``StorageError`` if the lock can't be acquired, or if that can't be determined. Then it is not held.
    ///   With ``StorageError/Code/unsupported`` if the storage has no named locks.
    func tryLock(named name: String) async throws(StorageError) -> StorageLease?

    /// Returns who holds a named lock, as the subject of a sentence, such as "process 4711"; `nil` if that is not
    /// known. Called at any time; must not wait.
    func holder(ofLockNamed name: String) -> String?

    /// Extends a lease whose ``StorageLease/timeToLive`` is limited. For a lease without a limit, checks whether it is
    /// still held; called before its release.
    ///
    /// - Throws: ``StorageError`` with ``StorageError/Code/leaseLost`` if it has ended.
    func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease

    /// Releases a lock. Does nothing if the lease has ended.
    func unlock(_ lease: StorageLease) async
}

extension SharedStorage {
    public func holder(ofLockNamed name: String) -> String? { nil }
}

/// An event that a ``SharedStorage`` reports on its own.
public enum StorageEvent: Sendable, Hashable {
    /// ``SharedStorage/changes(after:)`` may have new changes.
    case mayHaveChanged
    /// The reason for failing calls may be gone: the store tries again.
    case available
    /// Calls will fail until ``available``. The store reports the error.
    case unavailable(StorageError)
    /// A lease has ended before it was released.
    case leaseLost(StorageLease)
    /// A problem that the user should know about, such as values that were given up. Calls continue. The store reports
    /// the error.
    case issue(StorageError)
}

/// A lock that a storage has granted.
public struct StorageLease: Sendable, Hashable {
    /// The name of the lock; `nil` for the lock for transactions.
    public var name: String?
    /// Rises with each lease of the name, so that writes under an earlier lease can be recognized and refused.
    public var fencingNumber: UInt64
    /// The position of the storage when it granted the lease.
    public var position: StoragePosition
    /// How long the lease lasts after it was asked for or renewed; `nil` if it lasts until ``SharedStorage/unlock(_:)``
    /// or the end of the process.
    public var timeToLive: Duration?

    /// Creates a lease; by default of the lock for transactions, without a limit.
    public init(
        name: String? = nil, fencingNumber: UInt64 = 0, position: StoragePosition, timeToLive: Duration? = nil
    ) {
        self.name = name
        self.fencingNumber = fencingNumber
        self.position = position
        self.timeToLive = timeToLive
    }
}
