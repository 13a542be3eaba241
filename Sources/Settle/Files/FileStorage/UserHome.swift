/// The home folder of another user, whose settings this process opens. The library SettleUsers makes it.
package struct UserHome: Sendable {
    /// The login name.
    package let user: String
    /// What the user's new files belong to.
    package let owner: FileStatus.Owner
    /// Without links.
    package let path: FilePath
    /// As the system's user database has it.
    private let listed: FilePath
    let calls: any SystemCalls
    let watching: any FileWatching

    /// - Parameter calls: What they allow is all that is done in the home.
    package init(
        of user: String, owner: FileStatus.Owner, path: FilePath, listed: FilePath, calls: any SystemCalls,
        watching: any FileWatching
    ) {
        self.user = user
        self.owner = owner
        self.path = path
        self.listed = listed.withoutTrailingSlashes
        self.calls = calls
        self.watching = watching
    }

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
