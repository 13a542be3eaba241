import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Groups of state, and the file in which they stand.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StateFileTests {
    struct Counters: SettingsGroup {
        static let category = SettingsCategory.state
        @Setting var attempts = 0
        @Setting var seen: [String: Int] = [:]
    }

    struct Lock: SettingsGroup {
        @Setting var length = 4
        let counters = Counters()
    }

    /// The same keys, before they were state.
    private struct OldLock: SettingsGroup {
        struct Counters: SettingsGroup {
            @Setting var attempts = 0
            @Setting var seen: [String: Int] = [:]
        }

        @Setting var length = 4
        let counters = Counters()
    }

    /// Configuration and state in one dictionary.
    private struct MixedLock: SettingsGroup {
        struct Counters: SettingsGroup {
            @Setting var limit = 1
            let state = StateFileTests.Counters()
        }

        let counters = Counters()
    }

    let fixture: FileStorageFixture
    static let state = "settings.state.json"
    private static let settings = "{\n  \"length\": 6\n}\n"
    static let remembered = "{\n  \"counters\": {\n    \"attempts\": 2,\n    \"seen\": {\"a\": 1}\n  }\n}\n"

    init() throws { fixture = try FileStorageFixture() }

    func writeAll() async throws {
        let store = try await SettingsStore.open(at: fixture.file)
        let lock = try await store.group(Lock.self)
        try await lock.commit {
            lock.length = 6
            lock.counters.attempts = 2
            lock.counters.seen = ["a": 1]
        }
        try await store.close()
    }

    func text(_ name: String) throws -> String { try fixture.text(of: name) }

    func isSame(_ text: String, _ other: String) throws -> Bool {
        try FileFormat.json.decode(Array(text.utf8)) == FileFormat.json.decode(Array(other.utf8))
    }

    /// What a program finds that opens the file now.
    func found() async throws -> [Int] {
        let store = try await SettingsStore.open(at: fixture.file)
        let lock = try await store.group(Lock.self)
        let values = [lock.length, lock.counters.attempts, lock.counters.seen["a"] ?? 0]
        try await store.close()
        return values
    }

    // MARK: What stands where

    @Test("State stands in a file of its own, and the file of settings has none") func files() async throws {
        try await writeAll()
        #expect(try isSame(text("settings.json"), Self.settings))
        #expect(try isSame(text(Self.state), Self.remembered))
        #expect(try fixture.permissions(of: Self.state) == 0o600)
        #expect(try await found() == [6, 2, 1])
    }

    @Test("A dictionary in which a person has left a comment alone is filled, although it has state too")
    func commentAlone() async throws {
        try fixture.write("{\n  \"counters\": { /* mine */ }\n}\n")
        let store = try await SettingsStore.open(at: fixture.file)
        let lock = try await store.group(MixedLock.self)
        try await lock.commit {
            lock.counters.limit = 5
            lock.counters.state.attempts = 3
        }
        try await store.file.flush()
        try await store.close()
        let text = try text("settings.json")
        #expect(try isSame(text, "{\"counters\": {\"limit\": 5}}"), "\(text)")
        #expect(text.contains("/* mine */"))
    }

    @Test("An explanation names the file of state and the line in it") func explained() async throws {
        try await writeAll()
        let store = try await SettingsStore.open(at: fixture.file)
        _ = try await store.group(Lock.self)
        let place = store.keys.explanation(forKey: "counters.attempts").answers.first?.place
        #expect(place?.hasSuffix("/settings.state.json”, line 3") == true, "\(place ?? "")")
        let other = store.keys.explanation(forKey: "length").answers.first?.place
        #expect(other?.hasSuffix("/settings.json”, line 2") == true, "\(other ?? "")")
        try await store.close()
    }

    @Test("A change of state leaves the file of settings alone, and the other way round") func apart() async throws {
        try await writeAll()
        let file = fixture.folder.appending(path: "settings.json").path
        let other = fixture.folder.appending(path: Self.state).path
        func identity(_ path: String) throws -> UInt64 { try POSIXSystemCalls().status(at: path).identity.file }
        let before = try (identity(file), identity(other))
        let store = try await SettingsStore.open(at: fixture.file)
        let lock = try await store.group(Lock.self)
        lock.counters.attempts = 3
        try await store.file.flush()
        #expect(try identity(file) == before.0 && identity(other) != before.1)
        let between = try identity(other)
        lock.length = 8
        try await store.file.flush()
        #expect(try identity(file) != before.0 && identity(other) == between)
        try await store.close()
        #expect(try await found() == [8, 3, 1])
    }

    @Test("Where there is only state, there is no file of settings") func onlyState() async throws {
        let store = try await SettingsStore.open(at: fixture.file)
        let counters = try await store.group(Counters.self)
        try await counters.commit { counters.attempts = 5 }
        try await store.close()
        #expect(try fixture.names() == [".settings.json.journal", Self.state])
        let again = try await SettingsStore.open(at: fixture.file)
        #expect(again.file.loadOutcome == .intact)
        #expect(try await again.group(Counters.self).attempts == 5)
        try await again.close()
    }

    @Test(
        "A property list has a property list beside it", arguments: [FileFormat.propertyListXML, .propertyListBinary])
    func propertyList(format: FileFormat) async throws {
        let file = fixture.folder.appending(path: "Prefs.plist")
        let store = try await SettingsStore.open(at: file, format: format)
        let lock = try await store.group(Lock.self)
        try await lock.commit { lock.counters.attempts = 2 }
        try await store.close()
        let bytes = [UInt8](try Data(contentsOf: fixture.folder.appending(path: "Prefs.state.plist")))
        #expect(FileFormat.detect(bytes) == format)
        #expect(try format.decode(bytes)["counters.attempts"] == .integer(2))
    }

    @Test("A group within a group of state is state, and one for memory only is nowhere") func inherited() async throws
    {
        struct Inner: SettingsGroup { @Setting var a = 0 }
        struct Outer: SettingsGroup {
            static let category = SettingsCategory.state
            let inner = Inner()
        }
        let store = try await SettingsStore.open(at: fixture.file)
        let group = try await store.group(Outer.self)
        try await group.commit { group.inner.a = 1 }
        try await store.close()
        #expect(try isSame(text(Self.state), #"{"inner": {"a": 1}}"#))
    }

    @Test("State and schema are written for a file with the longest name") func longestName() throws {
        let fixture = try FileStorageFixture(String(repeating: "a", count: FileNames.lengthLimit - 5) + ".json")
        let storage = try fixture.opened()
        storage.keepApart(state: ["count"], from: [])
        try storage.save(batch(1, ["a": .integer(1), "count": .integer(2)]))
        let schema = try storage.writeSchema(Array("{}\n".utf8))
        storage.close()
        let names = FileNames(FilePath(fixture.file.path))
        #expect(try isSame(fixture.text(of: names.state.name), #"{"count": 2}"#))
        #expect(try fixture.text(of: schema.name) == "{}\n")
    }

    @Test("A large file of state is not written anew for each change") func large() throws {
        let storage = try fixture.opened()
        storage.keepApart(state: ["text", "count"], from: [])
        try storage.save(batch(1, ["text": .string(String(repeating: "x", count: 100_000)), "a": .integer(1)]))
        let before = try Data(contentsOf: fixture.folder.appending(path: Self.state))
        for count in 1...20 {
            try storage.append(batch(2, ["count": .integer(Int64(count))]), durability: .buffered)
            #expect(try !storage.checkpoint(SettingTree(), for: .settled))
        }
        #expect(try Data(contentsOf: fixture.folder.appending(path: Self.state)) == before)
        #expect(try storage.checkpoint(SettingTree(), for: .resting))
        #expect(try Data(contentsOf: fixture.folder.appending(path: Self.state)) != before)
        #expect(try fixture.freshLoad().tree["count"] == .integer(20))
    }

    // MARK: From one file to the other

    @Test("What becomes state, or is none any more, goes to the other file with the next save") func moved()
        async throws
    {
        let store = try await SettingsStore.open(at: fixture.file)
        let old = try await store.group(OldLock.self)
        try await old.commit {
            old.length = 6
            old.counters.attempts = 2
            old.counters.seen = ["a": 1]
        }
        try await store.close()
        #expect(try fixture.names().contains(Self.state) == false)
        #expect(try await found() == [6, 2, 1])
        // Who only reads has changed nothing.
        #expect(try fixture.names().contains(Self.state) == false)
        let new = try await SettingsStore.open(at: fixture.file)
        let lock = try await new.group(Lock.self)
        lock.counters.attempts += 1
        try await new.close()
        #expect(try isSame(text("settings.json"), Self.settings))
        #expect(try text(Self.state).contains("\"attempts\": 3"))
        let back = try await SettingsStore.open(at: fixture.file)
        let again = try await back.group(OldLock.self)
        again.counters.attempts += 1
        try await back.close()
        #expect(try text("settings.json").contains("\"attempts\": 4"))
        #expect(try isSame(text(Self.state), "{}"))
        #expect(try await found() == [6, 4, 1])
    }

    @Test("A program that declares nothing leaves state where it is") func undeclared() async throws {
        try await writeAll()
        let store = try await SettingsStore.open(at: fixture.file)
        try store.keys.setValue(9, forKey: "length")
        try store.keys.setValue(7, forKey: "counters.attempts")
        try await store.file.flush()
        try await store.close()
        #expect(try isSame(text("settings.json"), #"{"length": 9}"#))
        #expect(try await found() == [9, 7, 1])
        #expect(try text(Self.state).contains("\"attempts\": 7"))
    }

    // MARK: Crashes

    @Test("A transaction over settings and state survives every crash as a whole, whichever file was written")
    func crashes() async throws {
        try await forEachCrashPoint(acknowledging: Int.self) { run in
            let store = try await run.openStore()
            let lock = try await store.group(Lock.self)
            for _ in 0..<2 {
                try await lock.commit {
                    lock.length += 1
                    lock.counters.attempts += 1
                }
                run.acknowledge(lock.counters.attempts)
                try await store.file.flush()
            }
            try await store.close()
        } check: { recovered in
            let lock = try await recovered.store.group(Lock.self)
            #expect(lock.counters.attempts >= recovered.acknowledged.last ?? 0, "\(recovered)")
            #expect(lock.length - 4 == lock.counters.attempts, "\(recovered)")
        }
    }

    // MARK: State in the file of settings

    @Test("State that the file of settings lacks has not been removed there") func lacking() {
        let tree = SettingTree(["a": .integer(1), "b": .integer(2), "c": .dictionary(["d": .integer(3)])])
        var file = StateFile()
        file.add(JournalStateKeys(added: ["b", "c"]), at: 0, over: tree)
        let entries = ["a", "b", "c.d"].map { JournalEntry(key: SettingKey(path: $0) ?? "", value: nil) }
        #expect(file.sparing(JournalBatch(revision: 0, entries: entries), in: tree).entries.map(\.key) == ["a"])
    }

    @Test("State typed into the file of settings comes after what the file of state has", arguments: [false, true])
    func typed(isRunning: Bool) throws {
        var storage = try fixture.opened()
        storage.keepApart(state: ["b"], from: [])
        let values: [SettingKey: SettingValue?] = ["a": .integer(1), "b": .integer(2)]
        try storage.append(StorageBatch(revision: 1, values: values), durability: .synced)
        let tree = SettingTree(["a": .integer(1), "b": .integer(2)])
        _ = try storage.checkpoint(tree, for: .requested)
        if !isRunning { storage.close() }
        try fixture.write(#"{"a": 1, "b": 5}"#)
        try fixture.write(#"{"b": 3}"#, to: Self.state)
        if isRunning {
            _ = try storage.externalChanges()
        } else {
            storage = try fixture.opened()
            #expect(try fixture.freshLoad().tree["b"] == .integer(5))
        }
        try storage.append(StorageBatch(revision: 2, values: ["a": .integer(4)]), durability: .synced)
        _ = try storage.externalChanges()
        storage.close()
        #expect(try fixture.freshLoad().tree == SettingTree(["a": .integer(4), "b": .integer(5)]))
    }
}
