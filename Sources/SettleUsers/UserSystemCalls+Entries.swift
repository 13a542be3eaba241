import Settle

/// The path from the home folder to a file, and the entries allowed there.
extension UserSystemCalls {
    /// A name in an open folder.
    struct Entry {
        let folder: FileDescriptor
        /// Its last part is the name; the rest is for errors.
        let path: FilePath
    }

    /// Runs a closure with the entry of a path, in its open folder.
    func withEntry<Result>(
        _ path: String, _ body: (Entry) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        var names = try namesBelowHome(path)
        guard let last = names.popLast() else {
            throw refusal(.notPermitted, "\(account.home.quoted) itself is not made, renamed or removed")
        }
        var way = account.home
        var folder = try base.openFile(way.text, .folder)
        // Nothing is written through these descriptors, so closing them has nothing to report.
        defer { try? base.closeFile(folder) }
        for name in names {
            way = way.appending(name)
            let inner = try open(Entry(folder: folder, path: way), .folder)
            try? base.closeFile(folder)
            folder = inner
        }
        return try body(Entry(folder: folder, path: way.appending(last)))
    }

    /// Runs a closure in the same way with two names in one folder.
    func withEntries<Result>(
        _ path: String, _ other: String, _ body: (Entry, Entry) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        let other = FilePath(other)
        guard other.folder == FilePath(path).folder else { throw .crossesDevices }
        return try withEntry(path) { (entry) throws(SystemError) in
            try body(entry, Entry(folder: entry.folder, path: entry.path.sibling(named: other.name)))
        }
    }

    private func namesBelowHome(_ path: String) throws(SystemError) -> [String] {
        let home = account.home.text.utf8.dropFirst(account.home.text == "/" ? 1 : 0)
        let isBelow = path.utf8.starts(with: home) && path.utf8.dropFirst(home.count).first ?? slash == slash
        // By bytes, as in the system: to Swift, a slash before an accent is another character.
        let names = path.utf8.dropFirst(home.count).split(separator: slash).map { String(decoding: $0, as: UTF8.self) }
        guard isBelow, !names.contains(".."), !names.contains(".") else {
            throw refusal(.notPermitted, "it is not below \(account.home.quoted)")
        }
        return names
    }

    /// Returns whether a path is the home, or a folder around it.
    func isOnTheWayToHome(_ path: String) -> Bool {
        let rest = account.home.text.utf8.dropFirst(path.utf8.count)
        return account.home.text.utf8.starts(with: path.utf8) && (path == "/" || rest.first ?? slash == slash)
    }

    // MARK: What may be there

    /// Returns the status of an entry that may be used.
    func status(of entry: Entry) throws(SystemError) -> FileStatus {
        let status = try base.status(of: entry.path.name, in: entry.folder)
        try check(status, at: entry.path)
        return status
    }

    /// Returns the same status; `nil` if there is no such entry.
    func statusIfThere(of entry: Entry) throws(SystemError) -> FileStatus? {
        do {
            return try status(of: entry)
        } catch {
            guard error == .notFound else { throw error }
            return nil
        }
    }

    func check(_ status: FileStatus, at path: FilePath) throws(SystemError) {
        guard status.kind != .symbolicLink else {
            throw refusal(.tooManySymbolicLinks, "\(path.quoted) is a symbolic link")
        }
        guard status.owner.user == account.owner.user else {
            throw refusal(.notPermitted, "\(path.quoted) belongs to user \(status.owner.user)")
        }
    }

    func refusal(_ error: SystemError, _ reason: String) -> SystemError {
        SystemError(
            error,
            rule: "\(reason), but the settings of user “\(account.name)” must be below \(account.home.quoted), without "
                + "links, and belong to that user (\(account.owner.user))")
    }
}

private let slash = UInt8(ascii: "/")
