/// The lock under which all processes write.
extension JournalFile {
    /// The result of ``lock(timeout:)``.
    enum Finding: Sendable, Hashable {
        /// The file that was open before; others may have appended to it.
        case same
        /// A new file, without a header.
        case new
        /// A file that has not been read yet.
        case other
        /// The file that was open before, which no longer has its name. The lock was not taken.
        case replaced
    }

    /// Takes the lock, and makes the file if there is none. The folder must exist.
    @inline(never) mutating func lock(timeout: inout LockTimeout) throws(FileError) -> Finding {
        if lockCount > 0 {
            lockCount += 1
            return .same
        }
        let file = try openForWriting()
        try timeout.lock(file, at: path, operations)
        let status: FileStatus?
        do {
            status = try statusIfNamed(file)
        } catch {
            giveUpLock(of: file)
            throw error
        }
        guard let status else {
            giveUpLock(of: file)
            return .replaced
        }
        operations.makePrivate(file, status, at: path)
        checkWhetherLocal()
        size = Int(status.size)
        lockCount = 1
        return status.size == 0 ? .new : isKnown && header != nil ? .same : .other
    }

    /// Determines whether a call for the file never waits for another machine. This may wait for one itself, so it
    /// belongs to a lock that may wait.
    private mutating func checkWhetherLocal() {
        #if os(Linux) || os(Android)
            if knownToBeLocal == nil { knownToBeLocal = !RemoteFileSystem.contains(path.folder) }
        #endif
    }

    /// Takes the lock of the known file, if it is known to be local and the lock is free.
    mutating func lockAtOnce() -> Bool {
        guard let file, isKnown, header != nil, !isReadOnly, !isLocked, !needsReplacement,
            knownToBeLocal == true, (try? operations.tryLock(file, at: path)) == true
        else { return false }
        guard let status = try? statusIfNamed(file) else {
            giveUpLock(of: file)
            return false
        }
        operations.makePrivate(file, status, at: path)
        size = Int(status.size)
        lockCount = 1
        return true
    }

    /// Returns the status, looked up by name: a file in a folder that was moved away still has all its names, but will
    /// not be found.
    ///
    /// - Returns: `nil` if the open file is not the one with the name.
    mutating func statusIfNamed(_ file: FileDescriptor) throws(FileError) -> FileStatus? {
        let own: FileStatus.Identity
        if let identity {
            own = identity
        } else {
            own = try operations.status(of: file, at: path).identity
            identity = own
        }
        do {
            let status = try operations.status(at: path)
            return status.identity == own ? status : nil
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw error }
            return nil
        }
    }

    /// Counts the lock, which has been taken once, as taken several times.
    mutating func keepLocked(count: Int) {
        guard lockCount > 0 else { return }
        lockCount = max(lockCount, count)
    }

    private mutating func openForWriting() throws(FileError) -> FileDescriptor {
        if let file, !isReadOnly { return file }
        let new = try operations.open(path, .updateOrCreate(permissions: 0o600))
        if let old = file {
            let identity = try? operations.status(of: old, at: path).identity
            isKnown = isKnown && identity != nil && identity == (try? operations.status(of: new, at: path).identity)
            try? operations.close(old, at: path)
        }
        file = new
        identity = nil
        isReadOnly = false
        return new
    }

    mutating func unlock() {
        guard lockCount > 0, let file else { return }
        lockCount -= 1
        if lockCount == 0 { giveUpLock(of: file) }
    }

    private mutating func giveUpLock(of file: FileDescriptor) {
        do {
            try operations.unlock(file, at: path)
        } catch {
            // Closing the file releases the lock too. After that, this descriptor can't sync the rest any more.
            let mustReplace = needsReplacement || !isDurable
            close()
            needsReplacement = mustReplace
        }
    }
}
