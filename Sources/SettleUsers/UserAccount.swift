import Settle

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// A user account known to the system.
struct UserAccount: Sendable, Equatable {
    /// The login name.
    let name: String
    /// The owner of the user's new files.
    let owner: FileStatus.Owner
    let home: FilePath

    init(name: String, owner: FileStatus.Owner, home: FilePath) {
        self.name = name
        self.owner = owner
        self.home = home
    }

    /// Queries the system's user database, which may contact a server.
    ///
    /// - Returns: `nil` if there is no such user.
    init?(named name: String) throws(SystemError) {
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        var size = 1 << 10
        while true {
            do {
                guard let found = try Self.find(name, size) else { return nil }
                self = found
                return
            } catch {
                guard error == Self.bufferTooSmall, size < Self.sizeLimit else { throw error }
                size *= 4
            }
        }
    }

    private static let bufferTooSmall = SystemError(ERANGE)
    private static let sizeLimit = 1 << 22
    /// The errors that systems return for an unknown user, besides success.
    private static let unknown: [SystemError] = [.notFound, SystemError(ESRCH), .badDescriptor, .notPermitted]

    private static func find(_ name: String, _ size: Int) throws(SystemError) -> UserAccount? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
        defer { buffer.deallocate() }
        var result: CInt
        repeat { result = getpwnam_r(name, &entry, buffer, size, &found) } while result == EINTR
        guard result == 0 || unknown.contains(SystemError(result)) else { throw SystemError(result) }
        guard result == 0, found != nil, let home = entry.pw_dir else { return nil }
        return UserAccount(
            name: name, owner: FileStatus.Owner(user: entry.pw_uid, group: entry.pw_gid),
            home: FilePath(String(cString: home)))
    }
}
