import Foundation
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct LoadingTests {
    @Test("An absent file yields the defaults without an issue")
    func absent() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(OuterSettings.self)
        #expect(settings.title == "title" && settings.inner.count == 0 && store.revision == 0)
        try await store.close()
        for await issue in store.issues { Issue.record("unexpected issue \(issue)") }
    }

    @Test("An unreadable file makes opening throw and is not overwritten")
    func unreadable() async throws {
        let failing = FailingStorage()
        let recording = RecordingStorage(failing)
        failing.fail(.load, with: StorageError(.unreadable, "“a.json” can't be read."))
        let error = await #expect(throws: SettingsError.self) { try await SettingsStore.open(storage: recording) }
        #expect(error?.code == .storage && error?.description == "“a.json” can't be read.")
        #expect(recording.batches.isEmpty)
    }

    @Test("A value of the wrong type affects only its own setting, and stays stored until its key is written")
    func wrongType() async throws {
        let storage = InMemoryStorage(
            SettingTree([
                "title": .integer(5), "inner": .dictionary(["count": .string("x"), "other": .integer(4)]),
                "unknown": .dictionary(["a": .bool(true)]),
            ]))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(OuterSettings.self)
        #expect(settings.title == "title" && settings.inner.count == 0 && settings.inner.other == 4)
        #expect(settings.inner.$count.isDefault && settings.inner.$count.domains.origin == .default)
        let issues = ChangeRecorder(store.issues)
        let seen = await issues.until { $0.count == 2 }
        #expect(seen.allSatisfy { $0.code == .unusableValue } && seen.map(\.key) == ["title", "inner.count"])
        settings.inner.other = 5
        settings.title = "new"
        try await store.close()
        #expect(storage.tree["inner.count"] == .string("x") && storage.tree["inner.other"] == .integer(5))
        #expect(storage.tree["title"] == .string("new"))
        #expect(storage.tree["unknown.a"] == .bool(true))
    }

    @Test("A stored value that breaks its rule falls back to the default")
    func brokenRule() async throws {
        struct Group: SettingsGroup { @Setting(in: 0...20) var attemptCount = 3 }
        let storage = InMemoryStorage(SettingTree(["attemptCount": .integer(21)]))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(Group.self)
        #expect(settings.attemptCount == 3)
        var issues = store.issues.makeAsyncIterator()
        let issue = await issues.next()
        #expect(issue?.code == .unusableValue && issue?.key == "attemptCount" && issue?.rule == "in 0...20")
        #expect(storage.tree["attemptCount"] == .integer(21))
    }

    @Test("A damaged file that was set aside is reported as an issue")
    func recovered() async throws {
        let store = try await SettingsStore.open(storage: DamagedStorage())
        var issues = store.issues.makeAsyncIterator()
        let issue = await issues.next()
        #expect(issue?.code == .recovered && issue?.description == "It was put aside.")
        #expect(store.file.loadOutcome == .recovered(description: "It was put aside.", isComplete: false))
    }

    @Test("loadOutcome distinguishes a first run, restored settings and removed settings")
    func outcomes() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        func opened() async throws -> SettingsStore {
            try await SettingsStore.open(storage: FileStorage(at: file))
        }
        let first = try await opened()
        #expect(first.file.loadOutcome == .absent)
        try await first.commit { try first.keys.setValue(1, forKey: "a") }
        #expect(first.file.loadOutcome == .absent, "it tells what was found, not what is there now")
        try await first.close()
        let second = try await opened()
        #expect(second.file.loadOutcome == .intact)
        try await second.close()

        try Data("{".utf8).write(to: file)
        let third = try await opened()
        guard case .recovered(_, isComplete: true) = third.file.loadOutcome else {
            Issue.record("\(third.file.loadOutcome)")
            return
        }
        #expect(try third.keys.value(forKey: "a", as: Int.self) == 1)
        try await third.close()

        try FileManager.default.removeItem(at: file)
        let fourth = try await opened()
        guard case .removed(let description) = fourth.file.loadOutcome else {
            Issue.record("\(fourth.file.loadOutcome)")
            return
        }
        var issues = fourth.issues.makeAsyncIterator()
        let issue = await issues.next()
        #expect(issue?.code == .removed && issue?.description == description)
        #expect(try fourth.keys.value(forKey: "a", as: Int.self) == nil)
        try await fourth.close()

        // The removal is reported until something is stored, even after a start that flushed to the file.
        let fifth = try await opened()
        guard case .removed = fifth.file.loadOutcome else {
            Issue.record("\(fifth.file.loadOutcome)")
            return
        }
        try await fifth.file.flush()
        try await fifth.close()
        let sixth = try await opened()
        guard case .removed = sixth.file.loadOutcome else {
            Issue.record("\(sixth.file.loadOutcome)")
            return
        }
        try await sixth.commit { try sixth.keys.setValue(2, forKey: "a") }
        try await sixth.close()
        let seventh = try await opened()
        #expect(seventh.file.loadOutcome == .intact)
        try await seventh.close()
    }

    @Test("Unknown keys are kept, and can be read, written and removed at run time")
    func unknownKeys() async throws {
        let storage = InMemoryStorage(SettingTree(["a": .dictionary(["b": .integer(1), "c": .integer(2)])]))
        let store = try await SettingsStore.open(storage: storage)
        #expect(try store.keys.value(forKey: "a.b", as: Int.self) == 1)
        #expect(try store.keys.value(forKey: "a.d", as: Int.self) == nil)
        #expect(throws: SettingsError.self) { try store.keys.value(forKey: "a.b", as: String.self) }
        let recorder = ChangeRecorder(store.changes)
        try store.keys.setValue(["x"], forKey: "a.d", author: "test")
        try store.keys.removeValue(forKey: "a.b")
        #expect(await recorder.next()?.author == "test")
        #expect(await recorder.next()?.origin == .reset)
        #expect(try store.keys.value(forKey: "a.d") == ["x"] && store.keys.value(forKey: "a.b", as: Int.self) == nil)
        try await store.close()
        #expect(storage.tree.root == ["a": .dictionary(["c": .integer(2), "d": .array([.string("x")])])])
    }
}

/// A storage that reports damage.
private struct DamagedStorage: Storage {
    func close() {}

    func load() throws(StorageError) -> StorageContents {
        StorageContents(outcome: .recovered(description: "It was put aside.", isComplete: false))
    }
    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        StorageReceipt(position: StoragePosition(0), durability: .synced)
    }
}
