package import Settle
import Synchronization

/// Calls on the entries of open folders.
extension SimulatedDisk: FolderSystemCalls {
    package func openFile(
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

    package func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        try status(at: path(of: name, in: folder))
    }

    package func renameFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try renameFile(path(of: name, in: folder), to: path(of: newName, in: folder))
    }

    package func linkFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try linkFile(path(of: name, in: folder), to: path(of: newName, in: folder))
    }

    package func removeFile(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try removeFile(path(of: name, in: folder))
    }

    package func makeFolder(_ name: String, permissions: UInt16, in folder: FileDescriptor) throws(SystemError) {
        try makeFolder(path(of: name, in: folder), permissions: permissions)
    }

    package func removeFolder(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        let path = try path(of: name, in: folder)
        try state.withLock { (state) throws(SystemError) in
            state.announce(.remove, path)
            try state.image.removeFolder(path)
        }
    }

    package func names(in folder: FileDescriptor) throws(SystemError) -> [String] {
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
