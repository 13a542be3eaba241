import Foundation
import Settle
import SettleTesting
import Synchronization
import Testing

/// The guide “Writing a storage”, and the code in it.
@Suite(.timeLimit(.minutes(10))) struct WritingAStorageTests {
    struct CounterSettings: SettingsGroup {
        @Setting var count = 0
        @Setting var names: [String] = []
    }

    @Test("The guide's code is that of the tests") func samples() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = folder.appending(path: "../../../Sources/Settle/Settle.docc/WritingAStorage.md").standardizedFileURL
        let guide = try String(contentsOf: page, encoding: .utf8)
        let sources = try ["FolderStorage.swift", "WritingAStorageTests.swift"].map {
            lines(try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
        }
        let samples = guide.matches(of: /(?s)```swift\n(.+?)```/).map { lines(String($0.1)) }
        #expect(samples.count > 3)
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
            try await StorageConformance.check(
                makeStorage: { open($0) }, reopen: { number, _ in open(number) },
                setFault: { storage, fault in try (storage as? FailingStorage)?.set(fault) ?? false })
        }
    }

    @Test("A store keeps its values in the storage") func store() async throws {
        try await withTemporaryFolder { folder in
            let folder = folder.appending(path: "settings")
            for count in 1...3 {
                let store = try await SettingsStore.open(storage: FolderStorage(at: folder))
                #expect(store.loadOutcome == (count == 1 ? .absent : .intact))
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

    @Test("A batch that a kill has left between its own file and those of the keys is stored whole")
    func killedBatch() async throws {
        try await withTemporaryFolder { folder in
            let old: SettingValue.Entries = ["a": .integer(1), "gone": .integer(1), "kept": .integer(1)]
            let change = StorageBatch(revision: 2, values: ["a": .integer(2), "g.new": .null, "gone": nil])
            let new: SettingValue.Entries = [
                "a": .integer(2), "g": .dictionary(["new": .null]), "kept": .integer(1),
            ]
            let batch = SettingValue.dictionary([
                "a": .data(Data(SettingValue.integer(2).bytes)), "gone": .null,
                "g": .data(Data(SettingValue.dictionary(["new": .null]).bytes)),
            ])
            // However many of the files have been written: none, some, or all of them.
            for (number, written) in [[], ["a"], ["gone"], ["a", "g"], ["a", "g", "gone"]].enumerated() {
                let place = folder.appending(path: "\(number)")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
                for (name, value) in old {
                    try Data(value.bytes).write(to: place.appending(path: "\(name).value"))
                }
                for name in written {
                    let file = place.appending(path: "\(name).value")
                    if let value = new[name] {
                        try Data(value.bytes).write(to: file)
                    } else {
                        try FileManager.default.removeItem(at: file)
                    }
                }
                try Data(batch.bytes).write(to: place.appending(path: "batch"))
                let storage = FolderStorage(at: place)
                let found = try await storage.load()
                #expect(found.tree.root == new && found.outcome == .intact)
                // The rest of the batch has been done, and it doesn't come back over later values.
                let later = StorageBatch(revision: 3, values: ["a": .integer(3), "gone": .integer(3)])
                _ = try await storage.append(later, durability: .synced)
                await storage.close()
                let again = try await FolderStorage(at: place).load()
                #expect(again.tree["a"] == .integer(3) && again.tree["gone"] == .integer(3))
                #expect(again.tree["g.new"] == .null && again.tree["kept"] == .integer(1))
            }
            // The storage itself makes the state that was made by hand.
            let place = folder.appending(path: "own")
            let storage = FolderStorage(at: place)
            _ = try await storage.load()
            _ = try await storage.append(StorageBatch(revision: 1, values: flat(old)), durability: .synced)
            let obstacle = place.appending(path: "g.value")
            try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
            await #expect(throws: StorageError.self) { try await storage.append(change, durability: .synced) }
            #expect(try SettingValue(bytes: Data(contentsOf: place.appending(path: "batch"))) == batch)
        }
    }

    @Test("What could not be finished is finished before anything else, and nothing torn is loaded")
    func unfinishedBatch() async throws {
        try await withTemporaryFolder { folder in
            let storage = FolderStorage(at: folder)
            _ = try await storage.load()
            let first = StorageBatch(revision: 1, values: ["a": .integer(1), "z": .integer(1)])
            _ = try await storage.append(first, durability: .synced)
            let obstacle = folder.appending(path: "m.value")
            try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
            let stuck = StorageBatch(revision: 2, values: ["a": .integer(2), "m": .integer(2), "z": .integer(2)])
            let later = StorageBatch(revision: 3, values: ["a": .integer(3), "z": nil])
            for (batch, isUnknown) in [(stuck, true), (later, false), (stuck, true)] {
                let error = await #expect(throws: StorageError.self) {
                    try await storage.append(batch, durability: .synced)
                }
                #expect(error?.code == .writeFailed && error?.isOutcomeUnknown == isUnknown)
            }
            let unread = await #expect(throws: StorageError.self) { try await FolderStorage(at: folder).load() }
            #expect(unread?.code == .unreadable)
            try FileManager.default.removeItem(at: obstacle)
            _ = try await storage.append(later, durability: .synced)
            let found = try await storage.load()
            #expect(found.tree.root == ["a": .integer(3), "m": .integer(2)])
        }
    }

    @Test("Any name is the name of a file, and one that is too long is refused before anything is written")
    func names() async throws {
        try await withTemporaryFolder { folder in
            let storage = FolderStorage(at: folder)
            _ = try await storage.load()
            let names = [
                "a", "A", "", ".", "..", "/", "a/b", "%", "%61", "batch", "a.value", "\u{E9}", "e\u{301}", "\0",
                String(repeating: "a", count: 249), String(repeating: "A", count: 83),
            ]
            var expected: SettingValue.Entries = [:]
            for (number, name) in names.enumerated() { expected[name] = .integer(Int64(number)) }
            _ = try await storage.append(StorageBatch(revision: 1, values: flat(expected)), durability: .synced)
            let found = try await FolderStorage(at: folder).load()
            #expect(found.tree.root == expected)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            #expect(Set(files.map { $0.lowercased() }).count == names.count + 1)
            for name in [String(repeating: "a", count: 250), String(repeating: "\u{E9}", count: 42)] {
                #expect(throws: StorageError.self) { try storage.check(.null, at: .path(name)) }
                let batch = StorageBatch(revision: 2, values: ["b": .integer(2), .path(name, "inner"): .integer(2)])
                let error = await #expect(throws: StorageError.self) {
                    try await storage.append(batch, durability: .synced)
                }
                #expect(error?.code == .unsupportedValue && error?.isOutcomeUnknown == false)
                // What was never stored can be removed.
                let removal = StorageBatch(revision: 2, values: [.path(name): nil])
                _ = try await storage.append(removal, durability: .synced)
            }
            let unchanged = try await storage.load()
            #expect(unchanged.tree.root == expected)
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
            for name in ["a.value", "A.value", "%.value", "batch"] {
                let file = folder.appending(component: name)
                try foreign.write(to: file)
                let storage = FolderStorage(at: folder)
                await #expect(throws: StorageError.self) { try await storage.load() }
                let batch = StorageBatch(revision: 1, values: ["a": .integer(1)])
                await #expect(throws: StorageError.self) { try await storage.append(batch, durability: .synced) }
                #expect(try Data(contentsOf: file) == foreign)
                try FileManager.default.removeItem(at: file)
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
        case .changes, .leases: return false
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
