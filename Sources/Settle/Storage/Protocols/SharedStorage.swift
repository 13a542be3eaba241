/// A storage that others change too: processes that share a file, or machines that share a server.
///
/// The store keeps the ``StoragePosition`` up to which it has merged what others have stored, and asks for what came
/// after it. How commits of several stores are kept apart is the storage's choice:
///
/// - ``lockForTransaction()`` gives a lock. Under it nobody else appends, so a commit's closure need not run again.
///   Three calls make a commit: lock, append, unlock.
/// - Without such a lock, a commit's batch has the condition ``StorageBatch/Condition/at(_:)``. If others were faster,
///   the append throws ``StorageError/Code/conflict``; the store undoes the commit, merges their changes, and runs its
///   closure again. Nor does the store know then what has become of a batch whose answer was lost, and whose values it
///   gives up because others have replaced some of them: if it was stored, ``changes(after:)`` has to tell, with the
///   ``ExternalChange/batch``.
public protocol SharedStorage: Storage {
    /// The changes of others after a position, oldest first, without what a later batch of this storage has overwritten
    /// and without this storage's own batches; except, without a lock for transactions, one whose outcome it has called
    /// unknown since, if that turns out to be stored.
    ///
    /// - Parameter position: The last one that the store was given with a load, with changes, or with the receipt of a
    ///   batch that it appended under the lock for transactions or on the condition of a position.
    /// - Throws: ``StorageError`` if the changes can't be determined now. Nothing is lost; the next call returns them.
    func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges

    /// Registers a function to call for each ``StorageEvent``, until the storage closes. Called once, after a
    /// successful load. Returns immediately. The function returns immediately too, and may be called on any thread.
    func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void)

    /// Keeps others from appending, from the position in the lease on, until ``unlock(_:)``.
    ///
    /// - Returns: `nil` if this storage has no such lock.
    /// - Throws: ``StorageError`` with ``StorageError/Code/locked`` if another store has held it for too long.
    func lockForTransaction() async throws(StorageError) -> StorageLease?

    /// Acquires a lock that excludes only callers who ask for the same name, on all processes and machines that share
    /// the storage. May be called beside any other call, on another
    /// thread.
    ///
    /// - Parameter name: 1 to 64 ASCII letters, digits, hyphens and underscores.
    /// - Returns: `nil` if the name is locked already. Must not wait for it; the store tries again a moment later.
    /// - Throws: ``StorageError`` if the lock can't be acquired, or if that can't be determined. Then it is not held.
    func tryLock(named name: String) async throws(StorageError) -> StorageLease?

    /// Who holds a named lock, as the subject of a sentence, such as "process 4711"; `nil` if that is not known. Called
    /// at any time; must not wait.
    func holder(ofLockNamed name: String) -> String?

    /// Extends a lease whose ``StorageLease/timeToLive`` is limited. For a lease without a
    /// limit, checks whether it is still held; called before its release.
    ///
    /// - Throws: ``StorageError`` with ``StorageError/Code/leaseLost`` if it has ended.
    func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease

    /// Releases a lock. Does nothing if the lease has ended.
    func unlock(_ lease: StorageLease) async
}

extension SharedStorage {
    public func holder(ofLockNamed name: String) -> String? { nil }
}

/// What a ``SharedStorage`` reports on its own.
public enum StorageEvent: Sendable, Hashable {
    /// ``SharedStorage/changes(after:)`` may have something new.
    case mayHaveChanged
    /// What made calls fail may be over: the store tries again.
    case available
    /// Calls will fail until ``available``. The store reports the error.
    case unavailable(StorageError)
    /// A lease has ended before it was released.
    case leaseLost(StorageLease)
    /// Something that a person should know of, such as values that were given up. Calls go on. The store reports the
    /// error.
    case issue(StorageError)
}

/// A lock that a storage has granted.
public struct StorageLease: Sendable, Hashable {
    /// The name of the lock; `nil` for the lock for transactions.
    public var name: String?
    /// Rises with each lease of the name, so that what was done under an earlier one can be told apart and refused.
    public var fencingNumber: UInt64
    /// Where the storage was when it granted the lease.
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
