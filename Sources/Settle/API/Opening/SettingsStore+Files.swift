#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingsStore {
    /// Opens an app's store in the platform's standard location.
    ///
    /// Linux: `$XDG_CONFIG_HOME/<name>/settings.json`, else `$HOME/.config/<name>/settings.json`. Apple platforms:
    /// `~/Library/Application Support/<name>/settings.json`, in a sandbox that of the app; on tvOS in `Library/Caches`,
    /// which the system empties when it needs the space. Opening it again returns a handle on the same store, as
    /// ``open(at:format:searching:configuration:migrations:)`` does.
    ///
    /// - Parameters:
    ///   - name: The name of a folder, such as `com.example.app`.
    ///   - searching: The domains to search for a value, such as ``SearchList/standard``. Default: the application's
    ///     only.
    ///   - configuration: The behavior of the store; see ``open(at:format:searching:configuration:migrations:)``.
    ///   - migrations: The steps from earlier versions; see ``open(at:format:searching:configuration:migrations:)``.
    /// - Throws: ``SettingsError`` if the name can't be that of a folder, if the stored values can't be read, or if the
    ///   store is already open in this process with another configuration than the given one.
    public static func open(
        _ name: String, searching: SearchList? = nil, configuration: Configuration? = nil,
        migrations: [SettingsMigration]? = nil
    ) async throws -> SettingsStore {
        try await open(
            name, home: nil, searching: searching, configuration: configuration, migrations: migrations)
    }

    /// Opens the store in the home folder of another user, or with a list of open files chosen by a test.
    package static func open(
        _ name: String, home: UserHome?, searching: SearchList? = nil, configuration: Configuration? = nil,
        migrations: [SettingsMigration]? = nil, in files: StoreRegistry = .shared
    ) async throws -> SettingsStore {
        let location = home.map { StandardLocation(of: $0.path) } ?? StandardLocation()
        let file = try location.checkedFile(forStore: name)
        return try await open(
            at: file, searching: searching, places: DomainLocations(id: name, file: file, home: home),
            configuration: configuration, migrations: migrations, in: files
        ) { FileStorage(at: file, home: home) }
    }

    /// Opens the store in a file, which need not exist yet.
    ///
    /// If the file is already open in this process, by whatever path, this returns a handle on the same store. The path
    /// may lead through links to the file or its folder, or have another spelling where the file system does not
    /// distinguish upper and lower case. Hard links are different files. The format and the configuration, if given,
    /// must then be those of the open store. If the file is being opened or closed, this waits for the end. None of it
    /// blocks the caller's actor.
    ///
    /// - Parameters:
    ///   - file: The file. It and its folders may be missing. Its name ends in `.json` or `.plist`, or has no
    ///     extension; with a `format` it may have any.
    ///   - format: The format of the file. By default the format that it already has; a new file is an XML property
    ///     list if its name ends in `.plist`, and JSON otherwise.
    ///   - searching: The domains to search for a value. By default the application's only, or those of the open store.
    ///     The name of the store, which names the files of some domains, is that of the file, or that of its folder if
    ///     the file is called `settings`.
    ///   - configuration: The behavior of the store. Default: `Configuration()`, or that of the open store.
    ///   - migrations: The steps from all earlier versions of the program, oldest first. The steps that the file has
    ///     not seen run now: in order, under the file's lock, all or none. With a list, even an empty one, a file that
    ///     a newer program has migrated opens but can't be written: `commit` throws ``StorageError/Code/migrated``, and
    ///     so do `flush` and `close` after a refused assignment. This also applies if the migration happens while the
    ///     file is open. Default: no steps, and migrations are ignored.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/migrationFailed`` if a step fails, in which case the error
    ///   names the step and its key, or if the list has lost a step that has run. Nothing has changed then.
    ///   ``SettingsError`` if the file exists and can't be read. Nothing is written over it then. A file that can be
    ///   read but not parsed is set aside before it is written again; see ``SettingsStore/issues``. ``SettingsError``
    ///   with ``SettingsError/Code/alreadyOpen`` if the file is open in this process with another format or
    ///   configuration; the error names the differences.
    public static func open(
        at file: URL, format: FileFormat? = nil, searching: SearchList? = nil, configuration: Configuration? = nil,
        migrations: [SettingsMigration]? = nil
    ) async throws -> SettingsStore {
        try await open(
            at: file, format: format, searching: searching, configuration: configuration, migrations: migrations,
            in: .shared
        ) {
            FileStorage(at: file, format: format)
        }
    }

    /// Opens a file, which may be in the home folder of another user.
    static func open(at file: URL, home: UserHome?) async throws -> SettingsStore {
        try await open(at: file, places: DomainLocations(file: file, home: home), in: .shared) {
            FileStorage(at: file, home: home)
        }
    }

    /// Opens a file, with a storage and a list of open files chosen by a test.
    static func open(
        at file: URL, format: FileFormat? = nil, searching: SearchList? = nil, places: DomainLocations? = nil,
        configuration: Configuration? = nil, migrations: [SettingsMigration]? = nil, in files: StoreRegistry,
        makeStorage: @Sendable @escaping () -> any Storage
    ) async throws -> SettingsStore {
        let places = places ?? DomainLocations(file: file)
        return try await StoreOpening(
            makeStorage: makeStorage, domains: try searching.map { try SearchedDomains($0, places) },
            configuration: configuration, migrations: migrations
        ).store(at: file, format, home: places.home, in: files)
    }
}
