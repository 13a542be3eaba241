/// The home folder of another user, whose settings this process opens. The library SettleUsers creates it.
package struct UserHome: Sendable {
    /// The login name.
    package let user: String
    /// The owner of the user's new files.
    package let owner: FileStatus.Owner
    /// The path without links.
    package let path: FilePath
    /// The path in the system's user database.
    private let listed: FilePath
    let calls: any SystemCalls
    let watching: any FileWatching

    /// - Parameter calls: The calls that are made in the home; only what they allow is done there.
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

    /// Returns the path of a file in the home without the links that lead there; `nil` for a file elsewhere.
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
