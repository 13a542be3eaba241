#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The storage and the domains that a store is opened on, and its configuration.
struct StoreOpening: Sendable {
    let makeStorage: @Sendable () -> any Storage
    /// The domains; `nil` for the application's only, or for those of a store that is already open.
    let domains: SearchedDomains?
    let configuration: SettingsStore.Configuration?
    let migrations: [SettingsMigration]?

    /// Returns a handle on the store that is open on a file, or on one that is opened now.
    ///
    /// - Parameter home: The home of the other user that the file belongs to, if it is another user's.
    func store(
        at file: URL, _ format: FileFormat?, home: UserHome?, in files: StoreRegistry
    ) async throws -> SettingsStore {
        try await files.store(at: file, home: home) { core in
            try await checkAgreement(with: core, format, home, at: file)
        } orOpenAtOnce: { place, calls in
            openAtOnce(for: place, by: calls)
        } orOpen: { place in
            try await open(for: place)
        }
    }

    /// Opens a new store: loads the storage and the domains, migrates the stored values, and begins to follow external
    /// changes. May block for a long time.
    func open(for registration: RegisteredFile? = nil) async throws(SettingsError) -> SettingsStore {
        let configuration = configuration ?? SettingsStore.Configuration()
        let storage = makeStorage()
        // Loading domains may take long, and a link may be changed meanwhile.
        if domains == nil, let (path, place) = registration?.followed, let file = storage as? FileStorage,
            file.path == path, file.isOnSystem
        {
            file.assume(place)
        }
        // The domains first: nothing is migrated for a store that can't be opened.
        let loaded = try await domains?.loaded() ?? []
        let time = TimeSource(configuration.clock)
        var contents: StorageContents
        do throws(StorageError) {
            let load = { @Sendable () async throws(StorageError) in try await storage.load() }
            contents = try await storage.limits.call(time, load)
        } catch {
            throw .storage(error)
        }
        if let migrations {
            do {
                try await StorageMigration(storage: storage, list: migrations, time: time).run(on: &contents)
            } catch {
                // The storage was read, and no store will close it. A storage that the caller has created stays the
                // caller's.
                if registration != nil { await storage.close() }
                throw .migrationFailed(error)
            }
        }
        let keeper = keeper(of: storage, contents, loaded, time, registration)
        await keeper.core.settleUnconfirmed()
        guard let store = SettingsStore(joining: keeper) else { throw .closed(key: nil) }
        return store
    }

    /// Opens a new store as ``open(for:)`` does, if that needs only what the system has in memory, and finds nothing to
    /// report. Never blocks.
    ///
    /// - Returns: `nil` otherwise; then ``open(for:)`` decides.
    func openAtOnce(for registration: RegisteredFile, by calls: CachedSystemCalls) -> SettingsStore? {
        // A migration writes.
        guard migrations == nil, let (path, place) = registration.followed,
            let file = makeStorage() as? FileStorage, file.path == path, file.isOnSystem,
            let contents = file.loadAtOnce(place, by: calls),
            // An unconfirmed commit may have to be undone.
            MigrationRecord(in: contents.tree).unconfirmed == nil
        else { return nil }
        var loaded: [LoadedDomain] = []
        if let domains {
            guard let found = domains.loadedAtOnce(by: calls) else { return nil }
            loaded = found
        }
        let time = TimeSource((configuration ?? SettingsStore.Configuration()).clock)
        return SettingsStore(joining: keeper(of: file, contents, loaded, time, registration))
    }

    /// Creates the store, which then follows external changes.
    private func keeper(
        of storage: any Storage, _ contents: StorageContents, _ loaded: [LoadedDomain], _ time: TimeSource,
        _ registration: RegisteredFile?
    ) -> StoreKeeper {
        let configuration = configuration ?? SettingsStore.Configuration()
        let core = StoreCore(
            configuration: configuration, storage: storage, contents: contents, time: time, registration: registration,
            migrations: migrations?.map(\.name))
        let keeper = StoreKeeper(of: core)
        core.add(loaded, languages: domains?.languages, renamed: RenamedKeys(migrations ?? []))
        core.persister.keepHistory(configuration.history)
        core.persister.follow(for: core)
        core.follow(loaded.map(\.domain))
        return keeper
    }

    /// Throws if the open store of the file differs from the requested one.
    private func checkAgreement(
        with core: StoreCore, _ format: FileFormat?, _ home: UserHome?, at file: URL
    ) async throws(SettingsError) {
        var differences = configuration?.differences(from: core.configuration) ?? []
        let current = core.domains.all.names
        if let names = domains?.domains.names, names != current {
            differences.append(("search list", current, names))
        }
        if let format, let current = core.persister.file?.currentFormat, format != current {
            differences.append(("format", "\(current)", "\(format)"))
        }
        if let names = migrations?.map(\.name) {
            let current = await core.persister.migrations.names
            if names != current { differences.append(("migrations", "\(current ?? [])", "\(names)")) }
        }
        if let home, home.owner.user != core.home?.owner.user {
            differences.append(("user", core.home?.user ?? "that of the process", home.user))
        }
        guard !differences.isEmpty else { return }
        throw .alreadyOpen(file.path, differences)
    }
}

extension [AttachedDomain] {
    /// The names, to the extent that two openings of a store can be compared.
    fileprivate var names: String { map(\.name.description).joined(separator: ", ") }
}
