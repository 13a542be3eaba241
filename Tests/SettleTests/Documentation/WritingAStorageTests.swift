import Foundation
import Settle
import SettleTesting
import Synchronization
import Testing

/// The guide “Writing a storage”, and the code in it.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct WritingAStorageTests {
    struct CounterSettings: SettingsGroup {
        @Setting var count = 0
        @Setting var names: [String] = []
    }

    @Test("The guide's code is that of the tests") func samples() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = folder.appending(path: "../../../Sources/Settle/Settle.docc/WritingAStorage.md").standardizedFileURL
        let guide = try String(contentsOf: page, encoding: .utf8)
        let redis = ["Storage", "Storage+Answers", "Storage+History", "Script"].map {
            "../../../Examples/RedisSettings/Sources/SettleRedis/Redis\($0).swift"
        }
        let sqlite = ["SettleSQLite/SQLiteStorage", "SettleSQLite/SQLiteStorage+Rows", "notes/NotesDatabase"].map {
            "../../../Examples/SQLiteSettings/Sources/\($0).swift"
        }
        let sources = try (["FolderStorage.swift", "WritingAStorageTests.swift"] + redis + sqlite).map {
            lines(try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
        }
        let samples = guide.matches(of: /(?s)```(?:swift|lua)\n(.+?)```/).map { lines(String($0.1)) }
        #expect(samples.count > 7)
        for sample in samples {
            #expect(sources.contains { $0.contains(sample) }, "\(sample.joined(separator: "\n"))")
        }
    }

    /// Without their indentation, which differs between a page and a suite.
    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
    }

    @Test func conformance() async throws {
        try await withTemporaryFolder { folder in
            let open = { (number: Int) in FolderStorage(at: folder.appending(path: "\(number)")) }
            try await StorageConformance.check(makeStorage: { open($0) }, reopen: { number, _ in open(number) })
        }
    }

    @Test func conformanceWithFaults() async throws {
        try await withTemporaryFolder { folder in
            let open = { (number: Int) in FailingStorage(FolderStorage(at: folder.appending(path: "\(number)"))) }
            let report = try await StorageConformance.check(
                makeStorage: { open($0) }, reopen: { number, _ in open(number) },
                setFault: { storage, fault in try (storage as? FailingStorage)?.set(fault) ?? false })
            #expect(!report.leftOut.contains { $0.contains("can't be produced") }, "\(report)")
        }
    }

    @Test("A store keeps its values in the storage") func store() async throws {
        try await withTemporaryFolder { folder in
            let folder = folder.appending(path: "settings")
            for count in 1...3 {
                let store = try await SettingsStore.open(storage: FolderStorage(at: folder))
                #expect(store.file.loadOutcome == (count == 1 ? .absent : .intact))
                let settings = try await store.group(CounterSettings.self)
                #expect(settings.count == count - 1 && settings.names.count == count - 1)
                settings.names.append("\(count)")
                try await settings.commit { settings.count = count }
                try await store.close()
            }
        }
    }

    @Test("A commit that the storage can't store is undone, and one of unknown outcome stands")
    func failures() async throws {
        try await withTemporaryFolder { folder in
            let storage = FolderStorage(at: folder.appending(path: "settings"))
            let failing = FailingStorage(storage)
            let store = try await SettingsStore.open(storage: failing)
            let settings = try await store.group(CounterSettings.self)
            try await settings.commit { settings.count = 1 }
            try storage.block(true)
            await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 2 } }
            #expect(settings.count == 1)
            try storage.block(false)
            _ = try failing.set(.answers)
            await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 3 } }
            #expect(settings.count == 3)
            _ = try failing.set(nil)
            try await store.close()
            let again = try await FolderStorage(at: storage.folder).load()
            #expect(again.tree["count"] == .integer(3))
        }
    }

    @Test("Wherever a kill interrupts an append, the batch is stored whole or not at all")
    func killed() async throws {
        try await withTemporaryFolder { folder in
            let old: SettingValue.Entries = ["a": .integer(1), "b": .integer(1)]
            for isRenamed in [false, true] {
                let place = folder.appending(path: "\(isRenamed)")
                let storage = FolderStorage(at: place)
                _ = try await storage.load()
                _ = try await storage.append(StorageBatch(revision: 1, values: flat(old)), durability: .synced)
                // As the next append leaves it: all files or one of them are written, and the version before is there.
                let next = place.appending(path: isRenamed ? "2" : "new")
                try FileManager.default.createDirectory(at: next, withIntermediateDirectories: false)
                let new = SettingTree(["a": .integer(2)])
                try Data(new.bytes).write(to: next.appending(path: "0"))
                let again = FolderStorage(at: place)
                let found = try await again.load()
                #expect(found.tree.root == (isRenamed ? new.root : old) && found.outcome == .intact)
                _ = try await again.append(StorageBatch(revision: 2, values: ["c": .integer(3)]), durability: .synced)
                let last = try await FolderStorage(at: place).load()
                #expect(last.tree["c"] == .integer(3) && last.tree["b"] == (isRenamed ? nil : .integer(1)))
                #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [isRenamed ? "3" : "2"])
            }
        }
    }

    @Test("Any name can be a key") func anyNameKey() async throws {
        try await withTemporaryFolder { folder in
            let storage = FolderStorage(at: folder)
            _ = try await storage.load()
            let names = [
                "a", "A", "", ".", "..", "/", "%", "\u{E9}", "e\u{301}", "\0", String(repeating: "a", count: 999),
            ]
            var expected: SettingValue.Entries = [:]
            for (number, name) in names.enumerated() { expected[name] = .integer(Int64(number)) }
            _ = try await storage.append(StorageBatch(revision: 1, values: flat(expected)), durability: .synced)
            let found = try await FolderStorage(at: folder).load()
            #expect(found.tree.root == expected)
        }
    }

    @Test("A value with as many levels as a storage must hold is stored, and one with more is refused")
    func deepValues() async throws {
        try await withTemporaryFolder { folder in
            let storage = FolderStorage(at: folder)
            _ = try await storage.load()
            var deep = SettingValue.integer(1)
            while (try? storage.check(.array([deep]), at: "deep")) != nil { deep = .array([deep]) }
            let batch = StorageBatch(revision: 1, values: ["deep": deep])
            _ = try await storage.append(batch, durability: .synced)
            let found = try await FolderStorage(at: folder).load()
            #expect(found.tree.root == ["deep": deep])
        }
    }

    @Test("Only a folder in which nothing has been stored is absent") func absence() async throws {
        try await withTemporaryFolder { folder in
            let storage = FolderStorage(at: folder)
            let new = try await storage.load()
            #expect(new.outcome == .absent)
            for value in [SettingValue.integer(1), nil] {
                _ = try await storage.append(StorageBatch(revision: 1, values: ["a": value]), durability: .synced)
                let found = try await FolderStorage(at: folder).load()
                #expect(found.outcome == .intact && found.tree["a"] == value)
            }
        }
    }

    @Test("A file that is no settings file is neither read nor overwritten") func foreignFile() async throws {
        try await withTemporaryFolder { folder in
            let foreign = Data("text".utf8)
            for path in ["1", "2/0"] {
                let file = folder.appending(path: path)
                try? FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: false)
                try foreign.write(to: file)
                let storage = FolderStorage(at: folder)
                await #expect(throws: StorageError.self) { try await storage.load() }
                let batch = StorageBatch(revision: 1, values: ["a": .integer(1)])
                await #expect(throws: StorageError.self) { try await storage.append(batch, durability: .synced) }
                #expect(try Data(contentsOf: file) == foreign)
            }
        }
    }

    private func flat(_ entries: SettingValue.Entries) -> [SettingKey: SettingValue?] {
        Dictionary(uniqueKeysWithValues: entries.map { (.path($0.key), $0.value) })
    }

    @Test("A commit makes the calls that the guide lists") func calls() async throws {
        let lock = try await callsOfACommit(InMemoryStorage())
        #expect(lock == ["lockForTransaction", "append buffered", "unlock", "append nothing synced"])
        let conditions = try await callsOfACommit(LocklessStorage(InMemoryStorage()))
        #expect(conditions == ["lockForTransaction", "append synced"])
        let failing = FailingStorage(LocklessStorage(InMemoryStorage()))
        failing.fail(.append, with: StorageError(.conflict, "Others were faster."), count: 1)
        let conflict = try await callsOfACommit(failing).filter { $0 == "append synced" || $0 == "changes" }
        #expect(conflict == ["append synced", "changes", "append synced"])
    }

    private func callsOfACommit(_ storage: any Storage) async throws -> [String] {
        let recording = RecordingStorage(storage)
        let store = try await SettingsStore.open(storage: recording, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        _ = await recording.calls { $0.contains { $0.name == "changes" } }
        let before = recording.calls.count
        try await settings.commit { settings.count = 1 }
        return recording.calls.dropFirst(before).map(\.name)
    }

    @Test("A wrapper's own functions are called") func wrapper() async throws {
        let storage = CountingStorage(InMemoryStorage())
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        try await store.close()
        #expect(storage.appends.withLock { $0 } >= 1)
    }
}

/// Counts the appends.
final class CountingStorage: StorageWrapper {
    let base: any Storage
    let appends = Mutex(0)

    init(_ base: any Storage) { self.base = base }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        appends.withLock { $0 += 1 }
        return try await base.append(batch, durability: durability)
    }
}

extension FolderStorage {
    /// Puts a file in the folder's place, in which nothing can be read or written, or takes it away again.
    nonisolated fileprivate func block(_ isBlocked: Bool) throws {
        let aside = folder.appendingPathExtension("aside")
        if isBlocked {
            if (try? folder.checkResourceIsReachable()) == true {
                try FileManager.default.moveItem(at: folder, to: aside)
            }
            try Data().write(to: folder)
        } else {
            try FileManager.default.removeItem(at: folder)
            if (try? aside.checkResourceIsReachable()) == true {
                try FileManager.default.moveItem(at: aside, to: folder)
            }
        }
    }

    nonisolated fileprivate var isBlocked: Bool {
        (try? folder.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
    }
}

extension FailingStorage {
    /// - Returns: False if the fault can't be produced.
    fileprivate func set(_ fault: StorageConformance.Fault?) throws -> Bool {
        guard let storage = base as? FolderStorage else { return false }
        switch fault {
        case nil:
            heal()
            if storage.isBlocked { try storage.block(false) }
        case .appends, .loads: try storage.block(true)
        case .answers:
            let lost = StorageError(.writeFailed, "The answer was lost.", isOutcomeUnknown: true)
            fail(.append, with: lost, moment: .after)
        case .changes, .leases, .silence: return false
        }
        return true
    }
}

extension StorageCall {
    fileprivate var name: String {
        switch operation {
        case .append(let batch, let durability): "append \(batch.values.isEmpty ? "nothing " : "")\(durability)"
        case .changes: "changes"
        case .lockForTransaction: "lockForTransaction"
        case .unlock: "unlock"
        default: "\(operation)"
        }
    }
}
