import Settle

extension UserHome {
    /// - Throws: ``FileError`` if there is no such folder, or it can't be opened.
    init(
        of account: UserAccount, calls: any FolderSystemCalls = POSIXSystemCalls(),
        watching: any FileWatching = SystemFileWatching.shared
    ) throws(FileError) {
        let operations = FileOperations(calls)
        let path = try operations.resolve(account.home).resolved
        try operations.close(operations.open(path, .folder), at: path)
        let resolved = UserAccount(name: account.name, owner: account.owner, home: path)
        self.init(
            of: account.name, owner: account.owner, path: path, listed: account.home,
            calls: UserSystemCalls(calls, of: resolved), watching: watching)
    }
}
