@testable import Settle
@testable import SettleTesting
@testable import SettleUsers

/// Calls on the entries of open folders.
extension SimulatedDisk: FolderSystemCalls {
    func openFile(
        _ name: String, _ mode: OpenMode, in folder: FileDescriptor
    ) throws(SystemError) -> FileDescriptor {
        let path = try path(of: name, in: folder)
        if let found = try? status(at: path), found.kind == .symbolicLink {
            switch mode {
            case .read, .update, .updateOrCreate: throw .tooManySymbolicLinks
            case .createNew: throw .alreadyExists
            case .folder: throw .notFolder
            }
        }
        return try openFile(path, mode)
    }

    func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        try status(at: path(of: name, in: folder))
    }

    func renameFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try renameFile(path(of: name, in: folder), to: path(of: newName, in: folder))
    }

    func exchangeFiles(_ name: String, _ other: String, in folder: FileDescriptor) throws(SystemError) {
        try exchangeFiles(path(of: name, in: folder), path(of: other, in: folder))
    }

    func linkFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try linkFile(path(of: name, in: folder), to: path(of: newName, in: folder))
    }

    func removeFile(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try removeFile(path(of: name, in: folder))
    }

    func makeFolder(_ name: String, permissions: UInt16, in folder: FileDescriptor) throws(SystemError) {
        try makeFolder(path(of: name, in: folder), permissions: permissions)
    }

    func removeFolder(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        let path = try path(of: name, in: folder)
        try state.withLock { (state) throws(SystemError) in
            state.announce(.remove, path)
            try state.image.removeFolder(path)
        }
    }

    func names(in folder: FileDescriptor) throws(SystemError) -> [String] {
        try withOpenFile(folder) { (open, state) throws(SystemError) in
            guard state.image.nodes[open.node]?.isFolder == true else { throw .notFolder }
            return Array(state.image.entries(of: open.node).keys)
        }
    }

    private func path(of name: String, in folder: FileDescriptor) throws(SystemError) -> String {
        try withOpenFile(folder) { (open, state) throws(SystemError) in
            guard open.node != DiskImage.root else { return "/" + name }
            guard let path = state.image.path(of: open.node) else { throw .notFound }
            return path + "/" + name
        }
    }
}
