import Settle

/// System calls on the entries of an open folder, whatever happens to the path that led to it.
///
/// No call follows a symbolic link. A name has no slash.
protocol FolderSystemCalls: SystemCalls {
    /// - Throws: ``SystemError/tooManySymbolicLinks`` or ``SystemError/notFolder`` if the entry is a symbolic link.
    func openFile(_ name: String, _ mode: OpenMode, in folder: FileDescriptor) throws(SystemError) -> FileDescriptor
    /// Returns the status of the entry itself.
    func status(of name: String, in folder: FileDescriptor) throws(SystemError) -> FileStatus
    /// Renames a file, replacing any file of the new name.
    func renameFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError)
    /// Exchanges the names of two files, as ``SystemCalls/exchangeFiles(_:_:)``.
    func exchangeFiles(_ name: String, _ other: String, in folder: FileDescriptor) throws(SystemError)
    /// Gives a file a second name; throws ``SystemError/alreadyExists`` if the name is taken.
    func linkFile(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemError)
    func removeFile(_ name: String, in folder: FileDescriptor) throws(SystemError)
    func makeFolder(_ name: String, permissions: UInt16, in folder: FileDescriptor) throws(SystemError)
    /// Removes an empty folder.
    func removeFolder(_ name: String, in folder: FileDescriptor) throws(SystemError)
    /// Returns the names in the folder itself, unordered, without `.` and `..`.
    func names(in folder: FileDescriptor) throws(SystemError) -> [String]
}
