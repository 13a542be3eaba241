import Foundation
import SettleTesting
import Testing

@testable import Settle

/// Crashes and losses of power in the middle of a migration.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct MigrationCrashTests {
    private typealias New = MigratingStoreTests.New
    private static let list = MigratingStoreTests.list
    private static let initial = ["settings.json": Data(#"{"pause": 1500, "theme": "dark"}"#.utf8)]

    private func check(_ tree: SettingTree, isMigrated: Bool?) {
        let names = MigrationRecord(in: tree).names
        let isNew = names == Self.list.map(\.name)
        #expect(isNew || names == [])
        if let isMigrated { #expect(isNew == isMigrated) }
        #expect((tree["look.theme"] == .string("dark")) == isNew && (tree["theme"] == .string("dark")) != isNew)
        #expect(tree["pause"] == (isNew ? .real(1.5) : .integer(1500)))
    }

    @Test("After a crash the file is as before or migrated, and the next opening makes it so")
    func crashes() async throws {
        let seen = LockedValue((old: 0, new: 0))
        try await forEachCrashPoint(
            of: { FileStorage(at: crashFolder.appending(path: $1), calls: $0) },
            acknowledging: Bool.self, initialFiles: Self.initial, maximumImagesPerPoint: 30
        ) { run in
            let storage = try await run.openStorage()
            let store = try await SettingsStore.open(
                storage: storage, configuration: .init(clock: run.clock), migrations: Self.list)
            run.acknowledge(true)
            let settings = try await store.group(New.self)
            #expect(settings.pause == 1.5)
            try await store.close()
        } check: { recovered in
            let core = recovered.store.core
            let tree = await core.persister.wholeTree
            check(tree, isMigrated: recovered.acknowledged.isEmpty ? nil : true)
            let isNew = tree["look.theme"] != nil
            let storage = await core.persister.storage
            var contents = try await storage.load()
            let migration = StorageMigration(storage: storage, list: Self.list, time: TimeSource(recovered.clock))
            try await migration.run(on: &contents)
            check(contents.tree, isMigrated: true)
            seen.withLock { if isNew { $0.new += 1 } else { $0.old += 1 } }
        }
        #expect(seen.withLock { $0.old > 5 && $0.new > 5 }, "\(seen.withLock { $0 })")
    }
}

extension Persister {
    /// Everything stored, the record included.
    fileprivate var wholeTree: SettingTree {
        var tree = writer.stored
        migrations.record.put(into: &tree)
        return tree
    }
}
