/// System calls below the home folder of a user who may be hostile, by a process that may do more than that user.
///
/// - Every call opens the folders from the home on anew, each in the one before it and without following links, and acts
///   in the last one. So it does not matter what becomes of the path meanwhile.
/// - What is opened must belong to the user, once it is open. Otherwise the user could pass off a file of somebody else,
///   by a hard link or by moving it there.
/// - What is made belongs to the user before anything is written to it, or is removed again.
/// - Nothing outside of the home is opened, and the home itself is neither made nor removed.
package struct UserSystemCalls: SystemCalls {
    let base: any FolderSystemCalls
    package let account: UserAccount

    /// - Parameter account: Its home is a path without links.
    package init(_ base: any FolderSystemCalls, of account: UserAccount) {
        self.base = base
        self.account = account
    }

    /// How often a file is opened or made, if others make or remove it at the same moment.
    private static let attempts = 16
    private static let temporarySuffix = ".tmp"
    /// What file systems without hard links say.
    private static let lackOfLinks: [SystemError] = [.notPermitted, .notSupported, .tooManyLinks, .unimplemented]

    // MARK: Files

    package func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        if mode == .folder, FilePath(path) == account.home { return try base.openFile(path, mode) }
        return try withEntry(path) { (entry) throws(SystemError) in
            switch mode {
            case .read, .update, .folder: try open(entry, mode)
            case .createNew(let permissions): try create(entry, permissions)
            case .updateOrCreate(let permissions): try openOrCreate(entry, permissions)
            }
        }
    }

    /// The entry must be the user's.
    func open(_ entry: Entry, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        let file: FileDescriptor
        do {
            file = try base.openFile(entry.path.name, mode, in: entry.folder)
        } catch {
            guard error == .tooManySymbolicLinks || error == .notFolder else { throw error }
            // Of a link, this tells.
            _ = try status(of: entry)
            throw error
        }
        do {
            try check(base.status(of: file), at: entry.path)
        } catch {
            try? base.closeFile(file)
            throw error
        }
        return file
    }

    /// Makes a file under a name of its own first. A process that is stopped before the file is given to the user must not
    /// leave one that keeps the user's programs out.
    private func create(_ entry: Entry, _ permissions: UInt16) throws(SystemError) -> FileDescriptor {
        guard !entry.path.name.hasSuffix(Self.temporarySuffix) else { return try createGiven(entry, permissions) }
        let new = temporary(for: entry)
        let file = try createGiven(new, permissions)
        defer { try? base.removeFile(new.path.name, in: new.folder) }
        do {
            try base.linkFile(new.path.name, to: entry.path.name, in: entry.folder)
            return file
        } catch {
            try? base.closeFile(file)
            guard Self.lackOfLinks.contains(error) else { throw error }
            return try createGiven(entry, permissions)
        }
    }

    private func createGiven(_ entry: Entry, _ permissions: UInt16) throws(SystemError) -> FileDescriptor {
        let file = try base.openFile(entry.path.name, .createNew(permissions: permissions), in: entry.folder)
        do {
            try give(file)
        } catch {
            try? base.closeFile(file)
            try? base.removeFile(entry.path.name, in: entry.folder)
            throw error
        }
        return file
    }

    private func temporary(for entry: Entry) -> Entry {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return Entry(folder: entry.folder, path: entry.path.sibling(named: ".\(digits)\(Self.temporarySuffix)"))
    }

    /// Never both in one call: which of the two has happened decides whether the file is given to the user.
    private func openOrCreate(_ entry: Entry, _ permissions: UInt16) throws(SystemError) -> FileDescriptor {
        for _ in 0..<Self.attempts {
            do {
                return try open(entry, .update)
            } catch {
                guard error == .notFound else { throw error }
            }
            do {
                return try create(entry, permissions)
            } catch {
                guard error == .alreadyExists else { throw error }
            }
        }
        throw .wouldBlock
    }

    /// Makes the user the owner of what was just made.
    private func give(_ file: FileDescriptor) throws(SystemError) {
        let owner = account.owner
        guard try base.status(of: file).owner != owner else { return }
        do {
            try base.setOwner(of: file, toUser: owner.user, group: owner.group)
        } catch {
            throw SystemError(
                error,
                rule: "it can't be given to user “\(account.name)” (\(owner.user)), to whom it must belong: \(error)")
        }
    }

    /// Changes the group at most: what was opened is the user's.
    package func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError) {
        try base.setOwner(of: file, toUser: user.map { _ in account.owner.user }, group: group)
    }

    // MARK: Paths

    package func status(at path: String) throws(SystemError) -> FileStatus {
        if FilePath(path) == account.home { return try base.status(at: path) }
        return try withEntry(path) { (entry) throws(SystemError) in try status(of: entry) }
    }

    /// The path has no links, so this tells at most that it has none.
    package func linkTarget(_ path: String) throws(SystemError) -> String {
        guard !isOnTheWayToHome(path) else { throw .invalidArgument }
        _ = try status(at: path)
        throw .invalidArgument
    }

    package func setPermissions(at path: String, to permissions: UInt16) throws(SystemError) {
        let file = try openFile(path, .read)
        defer { try? base.closeFile(file) }
        try base.setPermissions(of: file, to: permissions)
    }

    package func renameFile(_ path: String, to newPath: String) throws(SystemError) {
        try withEntries(path, newPath) { (entry, new) throws(SystemError) in
            _ = try statusIfThere(of: new)
            try base.renameFile(entry.path.name, to: new.path.name, in: entry.folder)
        }
    }

    package func linkFile(_ path: String, to newPath: String) throws(SystemError) {
        try withEntries(path, newPath) { (entry, new) throws(SystemError) in
            _ = try status(of: entry)
            try base.linkFile(entry.path.name, to: new.path.name, in: entry.folder)
        }
    }

    package func removeFile(_ path: String) throws(SystemError) {
        try withEntry(path) { (entry) throws(SystemError) in
            _ = try status(of: entry)
            try base.removeFile(entry.path.name, in: entry.folder)
        }
    }

    /// Under a name of its own first, as a file.
    package func makeFolder(_ path: String, permissions: UInt16) throws(SystemError) {
        try withEntry(path) { (entry) throws(SystemError) in
            guard try statusIfThere(of: entry) == nil else { throw .alreadyExists }
            let new = temporary(for: entry)
            try base.makeFolder(new.path.name, permissions: permissions, in: new.folder)
            do throws(SystemError) {
                try giveFolder(new)
                try base.renameFile(new.path.name, to: entry.path.name, in: entry.folder)
            } catch {
                try? base.removeFolder(new.path.name, in: new.folder)
                // Others have been faster.
                throw error == .notEmpty || error == .isFolder ? .alreadyExists : error
            }
        }
    }

    private func giveFolder(_ entry: Entry) throws(SystemError) {
        let folder = try base.openFile(entry.path.name, .folder, in: entry.folder)
        defer { try? base.closeFile(folder) }
        // Somebody else's folder may have been moved there meanwhile. Nothing is lost with an empty one.
        guard try base.names(in: folder).isEmpty else {
            throw refusal(.notPermitted, "\(entry.path.quoted) was replaced by another folder when it was made")
        }
        try give(folder)
    }

    package func namesInFolder(_ path: String) throws(SystemError) -> [String] {
        let folder = try openFile(path, .folder)
        defer { try? base.closeFile(folder) }
        return try base.names(in: folder)
    }
}
