/// The home folder of another user, whose settings this process opens.
package struct UserHome: Sendable {
    /// The user, whose home is given as a path without links.
    package let account: UserAccount
    let calls: UserSystemCalls
    let watching: any FileWatching
    /// As the system's user database has it.
    private let listed: FilePath

    /// - Throws: ``FileError`` if there is no such folder, or it can't be opened.
    package init(
        of account: UserAccount, calls: any FolderSystemCalls = POSIXSystemCalls(),
        watching: any FileWatching = SystemFileWatching.shared
    ) throws(FileError) {
        let operations = FileOperations(calls)
        let path = try operations.resolve(account.home).resolved
        try operations.close(operations.open(path, .folder), at: path)
        listed = account.home.withoutTrailingSlashes
        self.account = UserAccount(name: account.name, owner: account.owner, home: path)
        self.calls = UserSystemCalls(calls, of: self.account)
        self.watching = watching
    }

    package var path: FilePath { account.home }

    /// The path of a file in the home without the links that lead there; `nil` for one that is elsewhere.
    func path(of file: FilePath) -> FilePath? {
        for folder in [path, listed] {
            let start = folder.appending("").text
            if file.text.utf8.starts(with: start.utf8) {
                return path.appending(String(file.text.utf8.dropFirst(start.utf8.count)) ?? "")
            }
        }
        return nil
    }
}
