/// The lock for transactions and named locks.
extension FileStorage {
    /// Waits at most 10 s for another process. Its end releases the lock.
    public func lockForTransaction() throws(StorageError) -> StorageLease? {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try following(&session) { (session) throws(StorageError) in try session.acquire() }
            return StorageLease(position: session.inForce.position)
        }
    }

    /// Takes the lock for transactions if it is free and others have changed nothing since the position. Makes only
    /// calls that do not wait.
    func lockAtOnce(at position: StoragePosition) -> StorageLease? {
        let isLocked = withLockIfAvailable { session in
            !hasPendingChecks && session.inForce.position == position && session.acquireAtOnce()
        }
        return isLocked == true ? StorageLease(position: position) : nil
    }

    /// Locks an empty file, `.settings.json.<name>.lock`, which is made if it is missing and stays. On a file system
    /// without locks, only one process may use the settings.
    public func tryLock(named name: String) throws(StorageError) -> StorageLease? {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            guard try session.lock(named: name) else { return nil }
            // The last holder's changes must be in force now, but the events about them may still be under way.
            addPendingChecks(.everything)
            return StorageLease(name: name, position: session.inForce.position)
        }
    }

    /// Returns a process, if the system reports it.
    public func holder(ofLockNamed name: String) -> String? {
        withLockIfAvailable { $0.holder(ofLockNamed: name) } ?? nil
    }

    /// Checks a lease, which ends with the process. Fails if the file of a named lock was removed or replaced, or if a
    /// link on the path was switched: others lock another file then.
    public func renew(_ lease: StorageLease) throws(StorageError) -> StorageLease {
        try withLock { (session) throws(StorageError) in try session.checkLock(lease) }
        return lease
    }

    public func unlock(_ lease: StorageLease) {
        withLock { session in
            if let name = lease.name {
                session.namedLocks.unlock(name, session.operations)
            } else {
                session.release()
            }
        }
    }
}
