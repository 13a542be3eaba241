import SettleTesting

@testable import Settle
@testable import SettleTestSupport
@testable import SettleUsers

/// Calls on the entries of open folders, if the real ones have them.
extension FaultySystemCalls: FolderSystemCalls {
    func openFile(
        _ name: String, _ mode: OpenMode, in folder: FileDescriptor
    ) throws(SystemError) -> FileDescriptor {
        try openFile(path(of: name, in: folder), mode) { (mode) throws(SystemError) in
            try folderCalls().openFile(name, mode, in: folder)
        }
    }

    func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus {
        try check(.status, path(of: name, in: folder))
        return try folderCalls().status(of: name, in: folder)
    }

    func renameFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try check(.rename, path(of: newName, in: folder))
        try folderCalls().renameFile(name, to: newName, in: folder)
    }

    func exchangeFiles(_ name: String, _ other: String, in folder: FileDescriptor) throws(SystemError) {
        try check(.exchange, path(of: other, in: folder))
        try folderCalls().exchangeFiles(name, other, in: folder)
    }

    func linkFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError) {
        try check(.link, path(of: newName, in: folder))
        try folderCalls().linkFile(name, to: newName, in: folder)
    }

    func removeFile(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try check(.remove, path(of: name, in: folder))
        try folderCalls().removeFile(name, in: folder)
    }

    func makeFolder(_ name: String, permissions: UInt16, in folder: FileDescriptor) throws(SystemError) {
        try check(.makeFolder, path(of: name, in: folder))
        try folderCalls().makeFolder(name, permissions: permissions & ~mask, in: folder)
    }

    func removeFolder(_ name: String, in folder: FileDescriptor) throws(SystemError) {
        try check(.remove, path(of: name, in: folder))
        try folderCalls().removeFolder(name, in: folder)
    }

    func names(in folder: FileDescriptor) throws(SystemError) -> [String] {
        try check(.names, path(of: folder))
        return try folderCalls().names(in: folder)
    }

    private func folderCalls() throws(SystemError) -> any FolderSystemCalls {
        guard let calls = real as? any FolderSystemCalls else { throw SystemError.unimplemented }
        return calls
    }

    private func path(of name: String, in folder: FileDescriptor) throws(SystemError) -> String {
        FilePath(try path(of: folder)).appending(name).text
    }
}
