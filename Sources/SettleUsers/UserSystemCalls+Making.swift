import Settle

/// Creating files and folders that belong to the user.
extension UserSystemCalls {
    /// The number of attempts to open or create a file while others create or remove it.
    private static let attempts = 16
    private static let temporarySuffix = ".tmp"
    /// The errors of file systems without hard links.
    private static let lackOfLinks: [SystemError] = [.notPermitted, .notSupported, .tooManyLinks, .unimplemented]

    /// Creates a file, at first under a temporary name. A process that is stopped before the file is given to the user
    /// must not leave a file that locks out the user's programs.
    func create(_ entry: Entry, _ permissions: UInt16) throws(SystemError) -> FileDescriptor {
        guard !entry.path.name.hasSuffix(Self.temporarySuffix) else { return try createGiven(entry, permissions) }
        let new = temporary(for: entry)
        let file = try createGiven(new, permissions)
        // Nothing is written through this descriptor, so closing it has nothing to report.
        defer {
            try? base.closeFile(file)
            try? base.removeFile(new.path.name, in: new.folder)
        }
        do {
            try base.linkFile(new.path.name, to: entry.path.name, in: entry.folder)
        } catch {
            guard Self.lackOfLinks.contains(error) else { throw error }
            return try createGiven(entry, permissions)
        }
        return try open(entry, madeAs: file)
    }

    /// Opens a new file by its final name: Linux notifies watchers of a write by the name under which the writer has
    /// opened the file, and no watch waits for the first name.
    private func open(_ entry: Entry, madeAs file: FileDescriptor) throws(SystemError) -> FileDescriptor {
        let named = try open(entry, .update)
        do throws(SystemError) {
            // Another process may have been faster, and replaced it.
            guard try base.status(of: named).identity == base.status(of: file).identity else { throw .alreadyExists }
        } catch {
            try? base.closeFile(named)
            throw error
        }
        return named
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

    /// Opens or creates a file, never both in one call: the file is given to the user only if it was created.
    func openOrCreate(_ entry: Entry, _ permissions: UInt16) throws(SystemError) -> FileDescriptor {
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

    /// Makes the user the owner of a new file.
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

    // MARK: Folders

    /// Creates a folder, at first under a temporary name, as for a file.
    func makeFolder(_ path: String, permissions: UInt16) throws(SystemError) {
        try withEntry(path) { (entry) throws(SystemError) in
            guard try statusIfThere(of: entry) == nil else { throw .alreadyExists }
            let new = temporary(for: entry)
            try base.makeFolder(new.path.name, permissions: permissions, in: new.folder)
            do throws(SystemError) {
                try giveFolder(new)
                try base.renameFile(new.path.name, to: entry.path.name, in: entry.folder)
            } catch {
                try? base.removeFolder(new.path.name, in: new.folder)
                // Another process was faster.
                throw error == .notEmpty || error == .isFolder ? .alreadyExists : error
            }
        }
    }

    private func giveFolder(_ entry: Entry) throws(SystemError) {
        let folder = try base.openFile(entry.path.name, .folder, in: entry.folder)
        defer { try? base.closeFile(folder) }
        // Another user's folder may have been moved there meanwhile. Removing an empty one loses nothing.
        guard try base.names(in: folder).isEmpty else {
            throw refusal(.notPermitted, "\(entry.path.quoted) was replaced by another folder when it was made")
        }
        try give(folder)
    }
}
