import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Files of state that are lost, damaged or edited.
extension StateFileTests {
    @Test("A file of state that is removed or damaged loses nothing", arguments: [nil, "{ \"counters\": {", "[]", ""])
    func lost(text damage: String?) async throws {
        try await writeAll()
        let url = fixture.folder.appending(path: Self.state)
        if let damage { try Data(damage.utf8).write(to: url) } else { try FileManager.default.removeItem(at: url) }
        #expect(try await found() == [6, 2, 1])
        let store = try await SettingsStore.open(at: fixture.file)
        let lock = try await store.group(Lock.self)
        try await lock.commit { lock.length = 7 }
        try await store.close()
        #expect(try isSame(text(Self.state), Self.remembered))
        #expect(try await found() == [7, 2, 1])
        if let damage { #expect(try text(Self.state + ".corrupt-1") == damage) }
    }

    @Test(
        "A lost file of state is reported, with whether the journal makes up for it",
        arguments: [nil, "{ \"counters\": {", ""], [false, true])
    func lossReported(text damage: String?, hasJournal: Bool) async throws {
        try await writeAll()
        let url = fixture.folder.appending(path: Self.state)
        if let damage { try Data(damage.utf8).write(to: url) } else { try FileManager.default.removeItem(at: url) }
        // Where there is neither, nothing says that there has ever been state.
        if damage == nil, !hasJournal { return }
        if !hasJournal {
            try FileManager.default.removeItem(at: fixture.folder.appending(path: ".settings.json.journal"))
        }
        // With all values in the journal, the first store puts the file right when it is closed.
        for _ in 1...(hasJournal ? 1 : 2) {
            let store = try await SettingsStore.open(at: fixture.file)
            guard case .recovered(let sentence, hasJournal) = store.file.loadOutcome else {
                Issue.record("\(store.file.loadOutcome)")
                return
            }
            #expect(sentence.contains("“\(url.path)” \(damage == nil ? "has been removed" : "is damaged")"))
            try await store.close()
        }
        let store = try await SettingsStore.open(at: fixture.file)
        let lock = try await store.group(Lock.self)
        try await lock.commit { lock.counters.attempts = 7 }
        try await store.close()
        let again = try await SettingsStore.open(at: fixture.file)
        #expect(again.file.loadOutcome == .intact)
        try await again.close()
    }

    /// One that was removed is reported unless the end of the journal was what said that it had been written.
    @Test("A damaged file of state whose journal has lost its end may have had more")
    func lossWithTornJournal() async throws {
        try await writeAll()
        try Data("{".utf8).write(to: fixture.folder.appending(path: Self.state))
        let journal = fixture.folder.appending(path: ".settings.json.journal")
        var bytes = try Data(contentsOf: journal)
        let end = try #require(bytes.lastIndex { $0 != 0 })
        bytes[end - 2] ^= 1
        try bytes.write(to: journal)
        let contents = try fixture.freshLoad()
        guard case .recovered(_, isComplete: false) = contents.outcome else {
            Issue.record("\(contents.outcome)")
            return
        }
    }

    @Test("An emptied file of state does not count as a first run, whatever else is gone") func emptiedState()
        async throws
    {
        try await writeAll()
        for name in try fixture.names() where name != Self.state {
            try FileManager.default.removeItem(at: fixture.folder.appending(path: name))
        }
        try fixture.write("{}", to: Self.state)
        #expect(try fixture.freshLoad().outcome == .intact)
    }

    @Test("Without a journal, each file has its part") func withoutJournal() async throws {
        try await writeAll()
        try FileManager.default.removeItem(at: fixture.folder.appending(path: ".settings.json.journal"))
        #expect(try await found() == [6, 2, 1])
        // The command writes, which knows nothing of groups.
        let store = try await SettingsStore.open(at: fixture.file)
        try store.keys.setValue(9, forKey: "length")
        try await store.close()
        #expect(try isSame(text("settings.json"), #"{"length": 9}"#))
        #expect(try isSame(text(Self.state), Self.remembered))
        #expect(try await found() == [9, 2, 1])
    }

    @Test("A removed file of settings leaves state as it was") func removedSettings() async throws {
        try await writeAll()
        try FileManager.default.removeItem(at: fixture.file)
        #expect(try await found() == [4, 2, 1])
    }

    @Test("A journal that is damaged is made whole by both files") func damagedJournal() async throws {
        try await writeAll()
        let url = fixture.folder.appending(path: ".settings.json.journal")
        var bytes = [UInt8](try Data(contentsOf: url))
        for index in 200..<min(bytes.count, 400) { bytes[index] ^= 0xFF }
        try Data(bytes).write(to: url)
        #expect(try await found() == [6, 2, 1])
    }

    @Test("An edit of the file of state counts, while a program runs and at rest") func edited() async throws {
        try await writeAll()
        try fixture.write(#"{"counters": {"attempts": 11, "seen": {"a": 1}}}"#, to: Self.state)
        #expect(try await found() == [6, 11, 1])
        let store = try await SettingsStore.open(at: fixture.file)
        let lock = try await store.group(Lock.self)
        lock.length = 7
        try await store.file.flush()
        try fixture.write(#"{"counters": {"attempts": 12, "seen": {"a": 5}}}"#, to: Self.state)
        for await count in lock.counters.$attempts where count == 12 { break }
        #expect(lock.counters.seen == ["a": 5])
        try await store.close()
        #expect(try await found() == [7, 12, 5])
    }

    @Test("State that somebody writes into the file of settings counts, and goes to its own file") func strayed()
        async throws
    {
        try await writeAll()
        try fixture.write("// mine\n{\"length\": 6, \"counters\": {\"attempts\": 8}}\n")
        #expect(try await found() == [6, 8, 1])
        let store = try await SettingsStore.open(at: fixture.file)
        let lock = try await store.group(Lock.self)
        try await lock.commit { lock.length = 7 }
        try await store.close()
        #expect(try text("settings.json") == "// mine\n{\"length\": 7}\n")
        #expect(try text(Self.state).contains("\"attempts\": 8"))
    }

    @Test("Who empties or removes the dictionary around state in the file of settings does not remove state")
    func emptied() async throws {
        struct Both: SettingsGroup {
            struct Inner: SettingsGroup {
                static let category = SettingsCategory.state
                @Setting var b = 0
            }

            @Setting("g.a") var a = 0
            let g = Inner()
        }
        for text in [#"{"g": {}}"#, "{}"] {
            let fixture = try FileStorageFixture()
            let store = try await SettingsStore.open(at: fixture.file)
            let both = try await store.group(Both.self)
            try await both.commit { (both.a, both.g.b) = (1, 2) }
            try await store.file.flush()
            #expect(try isSame(fixture.text(), #"{"g": {"a": 1}}"#))
            try fixture.write(text)
            for await value in both.$a where value == 0 { break }
            #expect(both.g.b == 2)
            try await store.close()
        }
    }

    @Test("Nothing is left of a value that is erased") func erased() async throws {
        try await writeAll()
        let store = try await SettingsStore.open(at: fixture.file)
        let lock = try await store.group(Lock.self)
        #expect(try await store.file.hasTraces(at: "counters.attempts"))
        try lock.counters.$attempts.reset()
        try await store.file.eraseEarlierValues()
        #expect(try await !store.file.hasTraces(at: "counters.attempts"))
        try await store.close()
    }
}
