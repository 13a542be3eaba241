public import Settle

extension SettingsStore {
    /// Opens the store of another user, for a process that has the right to read that user's files.
    ///
    /// ```swift
    /// let store = try await SettingsStore.open("com.example.app", user: "alice", searching: .standard)
    /// ```
    ///
    /// The files of the application, of the host, of all programs and of suites are those in that user's home folder,
    /// as recorded in the system's user database; this process's variables don't count. Arguments and environment
    /// variables are those of this process, if the list includes them. The languages are those of `AppleLanguages` in a
    /// domain above, or none.
    ///
    /// The user may be hostile. Below the home folder no symbolic link is followed, even if folders are exchanged
    /// meanwhile, and everything that is used must belong to the user: a link, or a file or folder of another user, is
    /// refused with an error that names it. New files and folders get the user and the user's group, and the same
    /// permissions as always. If the system does not permit that, the save fails with an error that says so; the stored
    /// values stay, and the new values stay in memory.
    ///
    /// - Parameters:
    ///   - name: The name of a folder, such as `com.example.app`.
    ///   - user: The login name of the user, who may be that of the process.
    ///   - searching: The domains that are searched for a value. By default the application's only.
    ///   - configuration: How the store behaves; see ``open(at:format:searching:configuration:migrations:)``.
    ///   - migrations: The steps from earlier versions; see ``open(at:format:searching:configuration:migrations:)``.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/unknownUser`` if the system knows no such user, or the
    ///   platform has only one; with ``SettingsError/Code/storage`` if the file can't be read, including for lack of
    ///   permission; with ``SettingsError/Code/alreadyOpen`` if this process has the file open, but not as that user's.
    public static func open(
        _ name: String, user: String, searching: SearchList? = nil, configuration: Configuration? = nil,
        migrations: [SettingsMigration]? = nil
    ) async throws -> SettingsStore {
        let account = try await runBlocking { () throws(SettingsError) in try UserAccount.known(user) }
        return try await open(
            name, of: account, searching: searching, configuration: configuration, migrations: migrations)
    }

    /// Opens a store in the same way for a user whom the system need not know, with a list of open files and system
    /// calls chosen by a test.
    static func open(
        _ name: String, of account: UserAccount, searching: SearchList? = nil, configuration: Configuration? = nil,
        migrations: [SettingsMigration]? = nil, in files: StoreRegistry = .shared,
        home makeHome: @escaping @Sendable (UserAccount) throws(FileError) -> UserHome = {
            (account) throws(FileError) in
            try UserHome(of: account)
        }
    ) async throws -> SettingsStore {
        let location = StandardLocation(of: account.home)
        // A name that can't be that of a store is an error before anything is looked up.
        _ = try location.checkedFile(forStore: name)
        let home = try await runBlocking { () throws(SettingsError) in
            do throws(FileError) {
                return try makeHome(account)
            } catch {
                throw .storage(StorageError.unreadable(location.path(forStore: name), error))
            }
        }
        return try await open(
            name, home: home, searching: searching, configuration: configuration, migrations: migrations, in: files)
    }
}

extension SettingsError.Code {
    /// The system knows no user of that name, or no user but that of the process.
    public static let unknownUser = Self("unknownUser")
}

extension UserAccount {
    fileprivate static func known(_ name: String) throws(SettingsError) -> UserAccount {
        #if os(macOS) || !canImport(Darwin)
            do {
                if let account = try UserAccount(named: name) { return account }
            } catch {
                throw SettingsError(
                    .unknownUser, "The user “\(name)” can't be looked up: \(error).", underlying: error)
            }
            throw SettingsError(.unknownUser, "There is no user “\(name)” whose settings could be opened.")
        #else
            throw SettingsError(.unknownUser, "The settings of other users can't be opened on this platform.")
        #endif
    }
}
