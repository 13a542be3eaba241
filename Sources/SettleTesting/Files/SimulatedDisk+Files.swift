package import Settle
import Synchronization

/// Calls on open files.
extension SimulatedDisk {
    package func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> FileDescriptor {
        try state.withLock { (state) throws(SystemError) in
            let node = try Self.node(at: path, mode, &state)
            let isFolder = state.image.nodes[node]?.isFolder == true
            switch mode {
            case .folder: if !isFolder { throw .notFolder }
            case .update, .updateOrCreate: if isFolder { throw .isFolder }
            case .read, .createNew: break
            }
            state.nextDescriptor += 1
            let file = FileDescriptor(state.nextDescriptor)
            state.openFiles[file] = OpenFile(node: node, mode: mode)
            return file
        }
    }

    package func openEntry(
        _ name: String, in folder: FileDescriptor, _ kind: EntryKind
    ) throws(SystemError) -> FileDescriptor {
        try state.withLock { (state) throws(SystemError) in
            guard let parent = state.openFiles[folder]?.node else { throw .badDescriptor }
            let node = try state.image.entry(name, of: parent)
            let found = state.image.nodes[node]
            if case .symbolicLink? = found?.kind { throw kind == .folder ? .notFolder : .tooManySymbolicLinks }
            if kind == .folder, found?.isFolder != true { throw .notFolder }
            state.nextDescriptor += 1
            let file = FileDescriptor(state.nextDescriptor)
            state.openFiles[file] = OpenFile(node: node, mode: kind == .folder ? .folder : .read)
            return file
        }
    }

    private static func node(at path: String, _ mode: OpenMode, _ state: inout State) throws(SystemError) -> Int {
        switch mode {
        case .read, .update, .folder: return try state.image.node(at: path)
        case .createNew(let permissions):
            state.announce(.create, path)
            return try state.image.add(DiskNode(.file, permissions: permissions), at: path)
        case .updateOrCreate(let permissions):
            do {
                return try state.image.node(at: path)
            } catch {
                guard error == .notFound else { throw error }
            }
            let target = try state.image.target(of: path)
            state.announce(.create, target)
            return try state.image.add(DiskNode(.file, permissions: permissions), at: target)
        }
    }

    package func closeFile(_ file: FileDescriptor) throws(SystemError) {
        try withOpenFile(file) { _, _ in }
        state.withLock { $0.openFiles[file] = nil }
    }

    // MARK: Locks

    package func lockFile(_ file: FileDescriptor) throws(SystemError) {
        try withOpenFile(file) { (open, state) throws(SystemError) in
            let node = open.node
            let isTaken = state.openFiles.contains { $0.key != file && $0.value.node == node && $0.value.isLocked }
            if isTaken { throw .wouldBlock }
            open.isLocked = true
        }
    }

    package func unlockFile(_ file: FileDescriptor) throws(SystemError) {
        try withOpenFile(file) { open, _ in open.isLocked = false }
    }

    // MARK: Statuses

    package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        try withOpenFile(file) { open, state in state.image.status(of: open.node) }
    }

    package func setPermissions(of file: FileDescriptor, to permissions: UInt16) throws(SystemError) {
        try withOpenFile(file) { open, state in
            state.announce(.setPermissions, state.path(of: open.node))
            state.image.update(open.node) { $0.permissions = permissions }
            state.image.touch(open.node, isContents: false)
        }
    }

    package func setOwner(of file: FileDescriptor, toUser user: UInt32?, group: UInt32) throws(SystemError) {
        try withOpenFile(file) { open, state in
            state.announce(.setOwner, state.path(of: open.node))
            state.image.update(open.node) { $0.owner = FileStatus.Owner(user: user ?? $0.owner.user, group: group) }
            state.image.touch(open.node, isContents: false)
        }
    }

    @discardableResult
    func withOpenFile<Result: Sendable>(
        _ file: FileDescriptor, _ body: (inout OpenFile, inout State) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        try state.withLock { (state) throws(SystemError) in
            guard var open = state.openFiles[file] else { throw .badDescriptor }
            let result = try body(&open, &state)
            state.openFiles[file] = open
            return result
        }
    }
}
