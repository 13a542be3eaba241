import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle
@testable import SettleUsers

/// Stores of another user: where their files are, and whose.
@Suite(.timeLimit(.minutes(10))) struct UserStoreTests {
    static let name = "com.example.app"
    #if canImport(Darwin)
        static let folder = "Library/Application Support"
    #else
        static let folder = ".config"
    #endif

    private let clock = ManualClock()

    /// A path below the folder of the user's settings.
    func path(_ path: String, in home: TestHome) -> FilePath { home.path("\(Self.folder)/\(path)") }

    func file(in home: TestHome) -> FilePath { path("\(Self.name)/settings.json", in: home) }

    func open(
        _ home: TestHome, _ searching: SearchList? = nil, in files: StoreRegistry = StoreRegistry(),
        migrations: [SettingsMigration]? = nil
    ) async throws -> SettingsStore {
        try await SettingsStore.open(
            Self.name, of: home.account, searching: searching,
            configuration: SettingsStore.Configuration(clock: clock), migrations: migrations, in: files
        ) { account throws(FileError) in
            try UserHome(of: account, calls: home.disk, watching: ManualFileWatching())
        }
    }

    func error(_ body: () async throws -> some Sendable) async -> SettingsError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? SettingsError
        }
    }

    // MARK: The files

    /// Whether the files of the host's and of the global domain are there, and nothing else is being made.
    private func hasBoth(_ paths: some Sequence<String>) -> Bool {
        paths.contains { $0.contains("/settings@") } && paths.contains { $0.hasSuffix("/settle/global.json") }
            && !paths.contains { $0.hasSuffix(".tmp") }
    }

    @Test("All files that a store makes are in the user's home, and the user's", arguments: TestHome.Disk.allCases)
    func owned(disk: TestHome.Disk) async throws {
        let home = try TestHome(disk)
        let before = try home.everything()
        let store = try await open(home, [.host(), .application, .suite("other"), .global()])
        let settings = try await store.group(AppSettings.self)
        // The folders and the journal.
        try await settings.commit { settings.count = 2 }
        try home.expectNothingOutside(than: before)
        // The file, and the version before.
        try await store.file.flush()
        settings.count = 3
        try await store.file.flush()
        try home.expectNothingOutside(than: before)
        // A long journal, which is begun anew.
        for number in 0..<8 {
            try await settings.commit { settings.name = String(repeating: "\(number)", count: 20_000) }
            try await store.file.flush()
        }
        try await store.withLock(named: "backup") {}
        _ = try await store.file.writeSchema(Array("{}".utf8))
        try home.expectNothingOutside(than: before)
        // Other domains.
        try await store.domains[.host].update { settings.count = 7 }
        try await store.domains[.global].update { settings.isOn = true }
        // The storages of other domains end on queues of their own. Without its folder one would leave the file to the
        // next that opens it, and what is being made gets its owner a moment later.
        try await eventually("both files are there") { try hasBoth(home.everything().keys) }
        try home.expectNothingOutside(than: before)
        // Files that were removed are stored again, with their folder.
        try home.moveAway(file(in: home).folder)
        settings.count = 9
        try await store.file.flush()
        try home.expectNothingOutside(than: before)
        #expect(try home.text(of: file(in: home)).contains("9"))
        try await store.close()
        try await eventually("all files are closed") { home.disk.openFiles == [] }

        let made = try Set(home.everything().keys).subtracting(before.keys)
        let names = FileNames(file(in: home))
        let global = path("settle/global.json", in: home)
        #expect(made.isSuperset(of: [names.file, names.journal, global].map(\.text)))
        for name in [names.schema, names.lock(named: "backup")] {
            #expect(made.contains { $0.hasSuffix("/" + name.name) }, "\(name)")
        }
        #expect(made.contains { $0.contains("/settings@") })
        for path in made {
            let status = try home.disk.status(at: path)
            #expect(status.permissions == (status.kind == .folder ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test(
        "A damaged file is set aside and recovered, and all of it stays the user's", arguments: TestHome.Disk.allCases)
    func recovered(disk: TestHome.Disk) async throws {
        let home = try TestHome(disk)
        try home.write("{\"count\": 4", to: file(in: home))
        let before = try home.everything()
        let store = try await open(home)
        let settings = try await store.group(AppSettings.self)
        #expect(settings.count == 1)
        settings.count = 5
        try await store.file.flush()
        try await store.close()
        try home.expectNothingOutside(than: before)
        #expect(try home.text(of: FileNames(file(in: home)).corrupt(1)) == "{\"count\": 4")
        #expect(home.disk.openFiles == [])
        #expect(try home.text(of: file(in: home)).contains("5"))
    }

    @Test("A migration keeps the version before as the user's") func migrated() async throws {
        let home = try TestHome()
        try home.write("{\"old\": 4}", to: file(in: home))
        let before = try home.everything()
        let store = try await open(home, migrations: [.rename("old", to: "count")])
        #expect(try await store.group(AppSettings.self).count == 4)
        try await store.close()
        try home.expectNothingOutside(than: before)
        #expect(try home.text(of: FileNames(file(in: home)).beforeMigration).contains("old"))
    }

    @Test("A file keeps a group that the user has chosen for it") func group() async throws {
        let home = try TestHome()
        try home.write("{\"count\": 4}", to: file(in: home))
        let descriptor = try home.disk.openFile(file(in: home).text, .read)
        try home.disk.setOwner(of: descriptor, toUser: home.account.owner.user, group: 50)
        try home.disk.closeFile(descriptor)
        let store = try await open(home)
        let settings = try await store.group(AppSettings.self)
        settings.count = 5
        try await store.file.flush()
        try await store.close()
        let owner = FileStatus.Owner(user: home.account.owner.user, group: 50)
        #expect(try home.disk.status(at: file(in: home).text).owner == owner)
    }

    @Test("Wherever the process is stopped, every file under its name is the user's, and the next save works")
    func stopped() throws {
        var call = 0
        while true {
            let home = try TestHome()
            home.disk.forget()
            home.disk.fail(call: call, with: .error(.inputOutput), forGood: true)
            let url = URL(filePath: file(in: home).text)
            let wasStopped = (try? save(FileStorage(at: url, calls: home.calls))) == nil
            home.disk.heal()
            home.disk.endProcess()
            for (path, status) in try home.everything()
            where path.hasPrefix(home.path.text + "/") && !path.hasSuffix(".tmp") {
                #expect(status.owner == home.account.owner, "\(path), stopped before call \(call)")
            }
            try save(FileStorage(at: url, calls: home.calls))
            guard wasStopped else { break }
            call += 1
        }
        #expect(call > 50)
    }

    private func save(_ storage: FileStorage) throws {
        defer { storage.close() }
        _ = try storage.load()
        try storage.append(StorageBatch(revision: 1, values: ["count": .integer(2)]), durability: .synced)
        #expect(try storage.tryLock(named: "backup") != nil)
        #expect(try storage.checkpoint(SettingTree(["count": .integer(2)]), for: .requested))
    }

    // MARK: Rights

    @Test("Where the owner can't be set, a save says so, leaves nothing behind and loses nothing") func notPermitted()
        async throws
    {
        let home = try TestHome()
        try home.write("{\"count\": 2}", to: file(in: home))
        let store = try await open(home)
        let settings = try await store.group(AppSettings.self)
        home.disk.fail(every: .setOwner, with: .notPermitted)
        let before = try home.everything()
        settings.count = 3
        let failure = await error { try await store.file.flush() }
        for part in [file(in: home).text, "alice", "must belong"] {
            #expect(failure?.description.contains(part) == true, "\(String(describing: failure))")
        }
        #expect(settings.count == 3)
        #expect(try Set(home.everything().keys) == Set(before.keys))
        #expect(try home.text(of: file(in: home)) == "{\"count\": 2}")
        home.disk.heal()
        try await store.file.flush()
        try await store.close()
        #expect(try home.text(of: file(in: home)).contains("3"))
        try home.expectNothingOutside(than: before)
    }

    @Test(
        "Without the right to read, the error names the file", arguments: [SystemCall.Kind.status, .open, .openFolder])
    func unreadable(call: SystemCall.Kind) async throws {
        let home = try TestHome()
        try home.write("{\"count\": 2}", to: file(in: home))
        home.disk.fail(every: call, with: .permissionDenied)
        let failure = await error { try await open(home) }
        #expect(failure?.code == .storage)
        #expect(failure?.description.contains(file(in: home).text) == true)
        #expect(failure?.description.contains(SystemError.permissionDenied.description) == true)
        #expect(home.disk.openFiles == [])
    }

    @Test("A home that is missing, or is no folder, is an error that names it") func missingHome() async throws {
        for isFile in [false, true] {
            let home = try TestHome()
            try home.moveAway(home.path)
            if isFile { try home.write("", to: home.path) }
            let failure = await error { try await open(home) }
            #expect(failure?.code == .storage && failure?.description.contains(home.path.quoted) == true)
            #expect(try home.everything().count == (isFile ? 2 : 1))
        }
    }

    @Test("Links on the way to the home are the administrator's, and are followed") func linkedHome() async throws {
        let home = try TestHome()
        try home.write("{\"count\": 2}", to: file(in: home))
        try home.link(FilePath("/home"), to: home.root)
        let account = UserAccount(name: "alice", owner: home.account.owner, home: FilePath("/home/alice/"))
        let store = try await SettingsStore.open(
            Self.name, of: account, searching: [.application, .suite("x", at: URL(filePath: "/home/alice/x.json"))],
            in: StoreRegistry()
        ) { account throws(FileError) in
            try UserHome(of: account, calls: home.disk, watching: ManualFileWatching())
        }
        #expect(store.keys["count"] == .integer(2))
        #expect(
            store.core.domains["x"] == nil && store.core.domains[.suite("x")]?.file?.path == home.path("x.json").text)
        try await store.close()
    }

    @Test(
        "A user's file of variables is read as the user's, and names no file outside of the home",
        arguments: TestHome.Disk.allCases)
    func environmentFile(disk: TestHome.Disk) async throws {
        let home = try TestHome(disk)
        let outside = home.root.appending("secret")
        try home.write("hunter2", to: outside)
        try home.write("inside", to: home.path("name"))
        let file = home.path(".env")
        func settings(_ text: String) async throws -> AppSettings {
            try home.write(text, to: file)
            let store = try await open(
                home, [.environmentFile(at: URL(filePath: file.text), prefix: "APP"), .application])
            let settings = try await store.group(AppSettings.self)
            try await store.close()
            return settings
        }
        let inside = try await settings("APP_COUNT=7\nAPP_NAME_FILE=\(home.path("name"))\n")
        #expect(inside.count == 7 && inside.name == "inside")
        let other = try await settings("APP_COUNT=8\nAPP_NAME_FILE=\(outside)\n")
        #expect(other.count == 8 && other.name == "default")
    }

    @Test("What others write in the file arrives") func watched() async throws {
        let home = try TestHome(.real)
        try home.write("{\"count\": 2}", to: file(in: home))
        // Its time stands still: nothing arrives by a look that comes later anyway.
        let store = try await SettingsStore.open(
            Self.name, of: home.account, configuration: SettingsStore.Configuration(clock: clock), in: StoreRegistry())
        let settings = try await store.group(AppSettings.self)
        let counts = ChangeRecorder(settings.$count)
        _ = await counts.until { $0 == [2] }
        let other = FileStorage(at: URL(filePath: file(in: home).text), home: try UserHome(of: home.account))
        _ = try other.load()
        try other.append(StorageBatch(revision: 1, values: ["count": .integer(3)]), durability: .synced)
        _ = await counts.until { $0.last == 3 }
        // Through the descriptor with which the journal was made.
        try other.append(StorageBatch(revision: 2, values: ["count": .integer(5)]), durability: .synced)
        _ = await counts.until { $0.last == 5 }
        other.close()
        // An edit must not meet a checkpoint that is under way.
        try await store.file.flush()
        // At once: a file that is gone for a moment would be stored again.
        let edited = file(in: home).sibling(named: "edited")
        try home.write("{\"count\": 4}", to: edited)
        try home.disk.renameFile(edited.text, to: file(in: home).text)
        _ = await counts.until { $0.last == 4 }
        try await store.close()
        #expect(try home.text(of: file(in: home)).contains("4"))
    }

    @Test("The user of the process can be named; opening makes nothing") func named() async throws {
        let name = "settle-test-\(UUID().uuidString)"
        guard let account = try UserAccount(named: NSUserName()),
            (try? POSIXSystemCalls().status(at: account.home.text).kind) == .folder
        else { return }
        let store = try await SettingsStore.open(name, user: NSUserName(), searching: .standard)
        #expect(store.core.home?.owner == account.owner && store.domains.contains { $0.name == .host })
        try await store.close()
        let folder = account.home.appending(Self.folder).appending(name)
        #expect(throws: SystemError.notFound) { try POSIXSystemCalls().status(at: folder.text) }
    }

    // MARK: One store for each file

    @Test("Opening it again for the same user gives the same store; for the process itself it is an error")
    func again() async throws {
        let home = try TestHome(.real)
        let files = StoreRegistry()
        let url = URL(filePath: file(in: home).text)
        let store = try await open(home, in: files)
        #expect(try await open(home, in: files) == store)
        // Whoever asks for nothing else gets the store that there is.
        #expect(try await SettingsStore.open(at: url, in: files) { InMemoryStorage() } == store)
        try await store.close()
        let own = try await SettingsStore.open(at: url, configuration: .init(clock: clock), in: files) {
            InMemoryStorage()
        }
        let failure = await error { try await open(home, in: files) }
        #expect(failure?.code == .alreadyOpen)
        #expect(failure?.description.contains("its user is that of the process, but alice was requested") == true)
        try await own.close()
    }

    @Test("A link to a file that the process has open is refused, and does not lead to that store")
    func linkToOpenFile()
        async throws
    {
        let home = try TestHome(.real)
        let files = StoreRegistry()
        let own = home.root.appending("own/\(Self.name)/settings.json")
        try home.write("{\"count\": 100}", to: own, of: 0)
        let store = try await SettingsStore.open(at: URL(filePath: own.text), in: files) {
            FileStorage(at: URL(filePath: own.text))
        }
        let (file, folder) = (file(in: home), file(in: home).folder)
        for (link, target) in [(file, own), (folder, own.folder), (folder.folder, own.folder.folder)] {
            try home.makeFolders(link.folder)
            try home.link(link, to: target)
            let failure = await error { try await open(home, in: files) }
            #expect(failure?.code == .storage && failure?.description.contains("symbolic link") == true)
            try home.disk.removeFile(link.text)
            if link != folder.folder { try home.moveAway(link.folder) }
        }
        try await store.close()
    }

    @Test(
        "A user whom the system does not know is an error that says so",
        arguments: ["", "no such user", "a\0b", "../root"])
    func unknown(user: String) async {
        let failure = await error { try await SettingsStore.open(Self.name, user: user) }
        #expect(failure?.code == .unknownUser && failure?.description.contains("“\(user)”") == true)
    }

    @Test("A name that can't be that of a store is an error, whoever the user is") func badName() async throws {
        let home = try TestHome()
        for name in ["", "..", "a/b", "a\0b"] {
            let failure = await error {
                try await SettingsStore.open(name, of: home.account, in: StoreRegistry()) { account throws(FileError) in
                    try UserHome(of: account, calls: home.disk, watching: ManualFileWatching())
                }
            }
            #expect(failure?.code == .invalidName)
        }
    }
}
