package import Settle

extension FileStatus {
    /// Whether another user may have put the file there for this user to write to, perhaps into a file of another name.
    ///
    /// These are the rules of Linux's `fs.protected_symlinks`, `fs.protected_fifos` and `fs.protected_regular`, which
    /// are not set everywhere: in a folder in which everyone may make files, and only their owners remove them, a file
    /// must belong to the user or to the folder's owner.
    ///
    /// - Parameters:
    ///   - folder: The folder that the file is in.
    ///   - user: The user with whose rights the process acts.
    package func isPlanted(in folder: FileStatus, for user: UInt32) -> Bool {
        folder.isSticky && folder.permissions & 0o002 != 0 && ![user, folder.owner.user].contains(owner.user)
    }
}
