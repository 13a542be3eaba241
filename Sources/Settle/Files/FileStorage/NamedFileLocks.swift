/// The named locks that this process holds beside a settings file, each on a file of its own.
///
/// The operating system releases the locks when the process ends, however that happens. The files are empty and stay:
/// removing one would take it away from a process that is about to lock it.
struct NamedFileLocks: Sendable {
    private struct Held: Sendable {
        var path: FilePath
        var file: FileDescriptor
    }

    private var held: [String: Held] = [:]

    /// How often a file is opened or made, if others make or remove it at the same moment.
    private static let attempts = 3

    /// - Returns: False if the name is locked already.
    mutating func lock(
        _ name: String, beside names: FileNames, of owner: FileStatus.Owner?, _ operations: FileOperations
    ) throws(FileError) -> Bool {
        guard held[name] == nil else { return false }
        let path = names.lock(named: name)
        let file = try open(path, owner, operations)
        do {
            if try lock(file, at: path, operations) {
                held[name] = Held(path: path, file: file)
                return true
            }
        } catch {
            release(file, at: path, operations)
            throw error
        }
        release(file, at: path, operations)
        return false
    }

    /// Returns whether a lock no longer excludes others: its file was removed or replaced, or the settings file is now
    /// another one, so they lock another file. An error that leaves this undecided does not count.
    func isLost(_ name: String, beside names: FileNames, _ operations: FileOperations) -> Bool {
        guard let held = held[name], held.path == names.lock(named: name),
            let own = try? operations.status(of: held.file, at: held.path)
        else { return true }
        do {
            return try operations.status(at: held.path).identity != own.identity
        } catch {
            return error.cause == .notFound || error.cause == .notFolder
        }
    }

    mutating func unlock(_ name: String, _ operations: FileOperations) {
        guard let held = held.removeValue(forKey: name) else { return }
        release(held.file, at: held.path, operations)
    }

    mutating func unlockAll(_ operations: FileOperations) {
        for name in held.keys { unlock(name, operations) }
    }

    /// Closing alone would leave the lock with a process that was forked meanwhile, until that ends or runs another
    /// program. Nothing was written, so there is nothing to report.
    private func release(_ file: FileDescriptor, at path: FilePath, _ operations: FileOperations) {
        try? operations.unlock(file, at: path)
        try? operations.close(file, at: path)
    }

    private func open(
        _ path: FilePath, _ owner: FileStatus.Owner?, _ operations: FileOperations, attempt: Int = 1
    ) throws(FileError) -> FileDescriptor {
        do {
            return try operations.open(path, .update)
        } catch {
            guard error.cause == .notFound else { throw error }
        }
        do {
            return try make(path, owner, operations)
        } catch {
            guard attempt < Self.attempts else { throw error }
            switch error.cause {
            case .alreadyExists: break
            case .notFound: try operations.makeFolders(path.folder)
            default: throw error
            }
        }
        return try open(path, owner, operations, attempt: attempt + 1)
    }

    private func make(
        _ path: FilePath, _ owner: FileStatus.Owner?, _ operations: FileOperations
    ) throws(FileError) -> FileDescriptor {
        let file = try operations.open(path, .createNew(permissions: 0o600))
        do {
            operations.keepOwner(owner, of: file, at: path)
            // The process's umask may have removed permissions that the user needs the next time.
            try operations.setPermissions(of: file, at: path, to: 0o600)
        } catch {
            try? operations.close(file, at: path)
            throw error
        }
        return file
    }

    /// - Returns: False if the file is locked already, or is no longer the one that others would lock.
    private func lock(
        _ file: FileDescriptor, at path: FilePath, _ operations: FileOperations
    ) throws(FileError) -> Bool {
        do {
            try operations.lock(file, at: path)
        } catch {
            switch error.cause {
            case .wouldBlock: return false
            // Some file systems have no locks. There, only one process may use the file.
            case .noLocks, .notSupported, .unimplemented: return true
            default: throw error
            }
        }
        let status = try operations.status(of: file, at: path)
        operations.makePrivate(file, status, at: path)
        do {
            return try operations.status(at: path).identity == status.identity
        } catch {
            guard error.cause == .notFound else { throw error }
            return false
        }
    }
}

extension FileSession {
    func holder(ofLockNamed name: String) -> String? {
        let path = names.lock(named: name)
        guard let file = try? operations.open(path, .read) else { return nil }
        defer { try? operations.close(file, at: path) }
        return operations.lockHolder(of: file, at: path).map { StorageError.holder($0) }
    }

    /// - Returns: False if the name is locked already.
    mutating func lock(named name: String) throws(StorageError) -> Bool {
        let path = names.lock(named: name)
        guard LockName.isValid(name) else {
            throw StorageError(.unsupportedValue, "“\(path)” can't be locked: \(LockName.rule(for: name))")
        }
        do {
            return try namedLocks.lock(name, beside: names, of: file.owner, operations)
        } catch {
            throw .notLocked(path, error)
        }
    }

    /// Checks that a named lock still excludes others.
    ///
    /// - Throws: ``StorageError/Code/leaseLost`` if its file was removed or replaced, or the settings file is another
    ///   one.
    func checkLock(_ lease: StorageLease) throws(StorageError) {
        guard let name = lease.name else { return }
        // The session may not have followed a link yet that was switched a moment ago.
        let names = (try? resolvedPlace().names) ?? names
        guard namedLocks.isLost(name, beside: names, operations) else { return }
        throw StorageError(
            .leaseLost,
            "The lock “\(name)” is no longer held: its file “\(self.names.lock(named: name))” was removed or replaced, or "
                + "the path of the settings leads to another file now. Nothing was stored.")
    }
}
