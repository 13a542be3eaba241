import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Migrations of settings files.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct MigratingFileTests {
    private typealias New = MigratingStoreTests.New
    private typealias Old = MigratingStoreTests.Old
    private static let list = MigratingStoreTests.list
    private static let json = #"{"pause": 1500, "theme": "dark", "z": true}"#

    private func tree(_ file: URL) throws -> SettingTree {
        let bytes = [UInt8](try Data(contentsOf: file))
        return try (FileFormat.detect(bytes) ?? .json).decode(bytes)
    }

    private func isRefused(_ error: SettingsError?) -> Bool {
        (error?.underlying as? StorageError)?.code == .migrated
    }

    private func expectMigrated(_ tree: SettingTree, _ comment: Comment? = nil) {
        var tree = tree
        let record = MigrationRecord(takenFrom: &tree)
        var expected = SettingTree(["pause": .real(1.5), "z": .bool(true)])
        expected["look.theme"] = .string("dark")
        #expect(tree == expected && record.names == Self.list.map(\.name), comment)
    }

    @Test("The file has the new values and the names of the steps, and beside it stand the values before")
    func file() async throws {
        let fixture = try FileStorageFixture("settings.json")
        try fixture.write(Self.json)
        try await SettingsStore.open(at: fixture.file, migrations: Self.list).close()
        expectMigrated(try tree(fixture.file))
        #expect(try fixture.text().hasPrefix("{\"$settle\": {\"migrations\": ["))
        let before = fixture.folder.appending(path: ".settings.json.before-migration")
        #expect(try tree(before) == FileFormat.json.decode([UInt8](Self.json.utf8)))
        #expect(try fixture.permissions(of: ".settings.json.before-migration") == 0o600)
        let store = try await SettingsStore.open(at: fixture.file, migrations: Self.list)
        let settings = try await store.group(New.self)
        #expect(settings.theme == "dark" && settings.pause == 1.5)
        settings.pause = 2
        try await store.close()
        #expect(try MigrationRecord(in: tree(fixture.file)).names == Self.list.map(\.name))
        #expect(try tree(before)["theme"] == .string("dark"))
    }

    @Test("A property list is migrated alike", arguments: [FileFormat.propertyListXML, .propertyListBinary])
    func propertyList(format: FileFormat) async throws {
        let fixture = try FileStorageFixture("settings.plist")
        let old = try FileFormat.json.decode([UInt8](Self.json.utf8))
        try Data(try format.encode(old)).write(to: fixture.file)
        try await SettingsStore.open(at: fixture.file, migrations: Self.list).close()
        expectMigrated(try tree(fixture.file))
    }

    @Test("A file that is open asks for the same list") func openAlready() async throws {
        let fixture = try FileStorageFixture("settings.json")
        let store = try await SettingsStore.open(at: fixture.file, migrations: Self.list)
        try await SettingsStore.open(at: fixture.file, migrations: Self.list).close()
        try await SettingsStore.open(at: fixture.file).close()
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(at: fixture.file, migrations: [])
        }
        #expect(error?.code == .alreadyOpen && error?.description.contains("migrations") == true)
        try await store.close()
    }

    @Test("After a failure the file can be opened at once, and is as it was") func failing() async throws {
        let fixture = try FileStorageFixture("settings.json")
        try fixture.write(Self.json)
        let list = Self.list + [.convert("z", from: String.self, to: String.self) { $0 }]
        let error = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(at: fixture.file, migrations: list)
        }
        #expect(error?.key == "z" && error?.code == .migrationFailed)
        #expect(try fixture.text() == Self.json)
        let store = try await SettingsStore.open(at: fixture.file)
        #expect(try await store.group(Old.self).pause == 1500)
        try await store.close()
        #expect(try fixture.text() == Self.json)
    }

    @Test("Two processes: one migrates while the other writes, and nothing of the older one gets in afterwards")
    func twoProcesses() async throws {
        struct Settings: SettingsGroup {
            @Setting var theme = "light"
            @Setting var pause = 0
            @Setting var z = false
        }
        let fixture = try FileStorageFixture("settings.json")
        try fixture.write(Self.json)
        // Is told of nothing, and saves only when it is asked to.
        let storage = FileStorage(at: fixture.file, calls: POSIXSystemCalls(), watching: ManualFileWatching())
        let older = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(clock: ManualClock()), migrations: [])
        let old = try await older.group(Settings.self)
        old.pause = 2500
        try await older.flush()
        let list = Self.list + [.remove("z")]
        let changes = ChangeRecorder(older.changes)
        let newer = try await SettingsStore.open(storage: FileStorage(at: fixture.file), migrations: list)
        let settings = try await newer.group(New.self)
        #expect(settings.pause == 2.5 && settings.theme == "dark")
        // It has not been told yet, and still the file refuses it.
        old.theme = "late"
        let flush = await #expect(throws: SettingsError.self) { try await older.flush() }
        // Refused, and given up at once because the migration has changed the key.
        #expect(isRefused(flush) || flush?.code == .superseded, "\(String(describing: flush))")
        let commit = await #expect(throws: SettingsError.self) { try await old.commit { old.pause = 7 } }
        #expect(isRefused(commit))
        #expect(await changes.until { $0.contains { $0.origin == .migration } }.count > 0)
        #expect(!old.z && old.$z.domains.origin == .migration)
        try await settings.commit { settings.theme = "blue" }
        try await older.close()
        try await newer.close()
        let tree = try tree(fixture.file)
        #expect(tree["theme"] == nil && tree["look.theme"] == .string("blue") && tree["pause"] == .real(2.5))
    }

    @Test("Two processes that open at the same time migrate once") func race() async throws {
        let fixture = try FileStorageFixture("settings.json")
        try fixture.write(Self.json)
        let count = LockedValue(0)
        let list = Self.list + [SettingsMigration("count") { _ in count.withLock { $0 += 1 } }]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let storage = FileStorage(at: fixture.file)
                    let store = try await SettingsStore.open(storage: storage, migrations: list)
                    #expect(try await store.group(New.self).pause == 1.5)
                    try await store.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("Whichever system call fails, the file has the old values or the new ones, and the next opening migrates")
    func everyCall() async throws {
        for fault in [FaultySystemCalls.Fault.error(.noSpace), .error(.inputOutput), .short] {
            var (call, failures, wasHit) = (0, 0, true)
            while wasHit {
                let fixture = try FileStorageFixture("settings.json")
                try fixture.write(Self.json)
                fixture.calls.fail(call: call, with: fault, forGood: false)
                let storage = fixture.storage()
                let store: SettingsStore?
                do {
                    store = try await SettingsStore.open(storage: storage, migrations: Self.list)
                } catch {
                    storage.close()
                    store = nil
                    failures += 1
                }
                wasHit = fixture.calls.faultCount > 0
                let found = try fixture.freshLoad().tree
                let isOld = try found == FileFormat.json.decode([UInt8](Self.json.utf8))
                if store != nil || !isOld { expectMigrated(found, "call \(call), \(fault)") }
                fixture.calls.heal()
                try? await store?.close()
                let again = try await SettingsStore.open(storage: FileStorage(at: fixture.file), migrations: Self.list)
                try await again.close()
                expectMigrated(try tree(fixture.file), "call \(call), \(fault)")
                call += 1
            }
            #expect(call > 20 && (fault == .short || failures > 10), "\(call), \(failures)")
        }
    }

    @Test("Erasing a secret's earlier values takes the version before too") func erasing() async throws {
        let fixture = try FileStorageFixture("settings.json")
        try fixture.write(Self.json)
        let storage = FileStorage(at: fixture.file)
        let store = try await SettingsStore.open(storage: storage, migrations: Self.list)
        #expect(try storage.hasTraces(of: "theme"))
        _ = try storage.checkpoint(try storage.load().tree, for: .erasing)
        #expect(try !storage.hasTraces(of: "theme"))
        try await store.close()
        #expect(try !fixture.names().contains(".settings.json.before-migration"))
    }
}
