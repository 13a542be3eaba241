import Settle

/// System calls below the home folder of a user who may be hostile, by a process that may do more than that user.
///
/// - Every call reopens the folders from the home on, each in the previous one and without following links, and acts in
///   the last one. So changes to the path meanwhile do not matter.
/// - An opened file must belong to the user, which is checked once it is open. Otherwise the user could pass off
///   another user's file, by a hard link or by moving it there.
/// - A new file belongs to the user before anything is written to it, or is removed again.
/// - Nothing outside the home is opened, and the home itself is neither created nor removed.
struct UserSystemCalls: SystemCalls {
    let base: any FolderSystemCalls
    let account: UserAccount

    /// - Parameter account: Its home is a path without links.
    init(_ base: any FolderSystemCalls, of account: UserAccount) {
        self.base = base
        self.account = account
    }

    // MARK: Files

    func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        if mode == .folder, FilePath(path) == account.home { return try base.openFile(path, mode) }
        return try withEntry(path) { (entry) throws(SystemError) in
            switch mode {
            case .read, .update, .folder: try open(entry, mode)
            case .createNew(let permissions): try create(entry, permissions)
            case .updateOrCreate(let permissions): try openOrCreate(entry, permissions)
            }
        }
    }

    /// Opens an entry, which must be the user's.
    func open(_ entry: Entry, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        let file: FileDescriptor
        do {
            file = try base.openFile(entry.path.name, mode, in: entry.folder)
        } catch {
            guard error == .tooManySymbolicLinks || error == .notFolder else { throw error }
            // For a link, this reports the error.
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

    /// Changes at most the group: an open file belongs to the user.
    func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError) {
        try base.setOwner(of: file, toUser: user.map { _ in account.owner.user }, group: group)
    }

    // MARK: Paths

    func status(at path: String) throws(SystemError) -> FileStatus {
        if FilePath(path) == account.home { return try base.status(at: path) }
        return try withEntry(path) { (entry) throws(SystemError) in try status(of: entry) }
    }

    /// Always throws: the path has no links, so the call can report at most that.
    func linkTarget(_ path: String) throws(SystemError) -> String {
        guard !isOnTheWayToHome(path) else { throw .invalidArgument }
        _ = try status(at: path)
        throw .invalidArgument
    }

    func setPermissions(at path: String, to permissions: UInt16) throws(SystemError) {
        let file = try openFile(path, .read)
        defer { try? base.closeFile(file) }
        try base.setPermissions(of: file, to: permissions)
    }

    func renameFile(_ path: String, to newPath: String) throws(SystemError) {
        try withEntries(path, newPath) { (entry, new) throws(SystemError) in
            _ = try statusIfThere(of: new)
            try base.renameFile(entry.path.name, to: new.path.name, in: entry.folder)
        }
    }

    func exchangeFiles(_ path: String, _ other: String) throws(SystemError) {
        try withEntries(path, other) { (entry, new) throws(SystemError) in
            for file in [entry, new] { _ = try status(of: file) }
            try base.exchangeFiles(entry.path.name, new.path.name, in: entry.folder)
        }
    }

    func linkFile(_ path: String, to newPath: String) throws(SystemError) {
        try withEntries(path, newPath) { (entry, new) throws(SystemError) in
            _ = try status(of: entry)
            try base.linkFile(entry.path.name, to: new.path.name, in: entry.folder)
        }
    }

    func removeFile(_ path: String) throws(SystemError) {
        try withEntry(path) { (entry) throws(SystemError) in
            _ = try status(of: entry)
            try base.removeFile(entry.path.name, in: entry.folder)
        }
    }

    func namesInFolder(_ path: String) throws(SystemError) -> [String] {
        let folder = try openFile(path, .folder)
        defer { try? base.closeFile(folder) }
        return try base.names(in: folder)
    }
}
