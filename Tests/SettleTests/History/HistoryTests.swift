import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// What the history tells.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct HistoryTests {
    @Test(
        "Each transaction is told with its author, newest first, also after a restart",
        arguments: HistoryPlace.Kind.allCases)
    func order(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        var store = try await home.open()
        var settings = try await store.group(CounterSettings.self)
        try await settings.commit(author: "alice") { settings.count = 1 }
        let token = try store.newest()
        // Two that are appended together.
        try settings.update(author: "bob") { (settings.count, settings.name) = (2, "x") }
        try settings.update(author: "carol") { settings.other = 3 }
        try await store.close()
        store = try await home.open(.unchanged)
        settings = try await store.group(CounterSettings.self)
        try await settings.commit { try settings.$count.reset() }
        let entries = try await store.entries()
        #expect(entries.map { $0.author.name } == [nil, "carol", "bob", "alice"])
        #expect(
            entries.map { $0.changes.map(\.description) } == [
                ["count: 2 → nothing"], ["other: nothing → 3"], ["count: 1 → 2", "name: nothing → \"x\""],
                ["count: nothing → 1"],
            ])
        #expect(entries.last?.token == token && entries.first?.token == store.history.token)
        #expect(entries.map(\.token.position).reversed() == Array(token.position...token.position + 3))
        #expect(entries.allSatisfy { $0.count == 1 && $0.isKnown && $0.undone == nil && $0.domain == .application })
        #expect(entries.allSatisfy { $0.author.process == ProcessInfo.processInfo.processIdentifier })
        #expect(entries.map(\.origin) == [.reset, .local, .local, .local])
        #expect(entries.last?.description.hasSuffix(": count: nothing → 1") == true)
        #expect(entries.last?.description.contains("local, by “alice” (") == true)
        try await store.close()
    }

    @Test("It is read page by page and cut by number, key and age", arguments: HistoryPlace.Kind.allCases)
    func parts(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(OuterSettings.self)
        for number in 1...200 {
            try await settings.commit {
                if number.isMultiple(of: 10) { settings.inner.other = number } else { settings.balance.left = number }
            }
        }
        let all = try await store.entries()
        #expect(all.count == 200 && Set(all.map(\.token)).count == 200)
        #expect(try await store.entries(limit: 130).map(\.token) == all.prefix(130).map(\.token))
        #expect(try await store.entries(limit: 0).isEmpty)
        let inner = try await store.entries(of: "inner")
        #expect(inner.count == 20 && inner.allSatisfy { $0.changes.map(\.key) == ["inner.other"] })
        #expect(
            try await store.entries(of: "inner.other", limit: 3).map { $0.changes[0].newValue } == [
                .integer(200), .integer(190), .integer(180),
            ])
        #expect(try await store.entries(of: "inner.count").isEmpty)
        #expect(try await store.entries(since: all[49].time).count >= 50)
        #expect(try await store.entries(since: Date() + 60).isEmpty)
        try await store.close()
    }

    @Test("Of a dictionary around the key only its part is told") func partsOfDictionaries() async throws {
        let home = try HistoryPlace(.memory)
        let store = try await home.open()
        try store.keys.setValue(.dictionary(["width": .integer(1), "height": .integer(2)]), forKey: "window")
        try await store.flush()
        try store.keys.setValue(.dictionary(["width": .integer(1), "height": .integer(3)]), forKey: "window")
        try await store.flush()
        #expect(try await store.told(of: "window.height") == ["window.height: 2 → 3", "window.height: nothing → 2"])
        #expect(try await store.told(of: "window.width") == ["window.width: nothing → 1"])
        #expect(try await store.told(of: "window").count == 2)
    }

    @Test("It goes on over renewals of the journal", arguments: [1_000, 100]) func renewals(_ most: Int) async throws {
        let home = try HistoryPlace()
        var expected: [String] = []
        var last = "nothing"
        for round in 1...3 {
            let store = try await home.open(.keep(transactions: most))
            let settings = try await store.group(CounterSettings.self)
            for number in 1...60 {
                // Beyond the 64 KiB with which a journal is begun anew.
                let name = "\(round)-\(number)-" + String(repeating: "x", count: 2_000)
                try await settings.commit(author: "\(round)") { settings.name = name }
                expected.insert("\(round): \(last.prefix(6)) → \(name.prefix(6))", at: 0)
                last = name
            }
            try await store.file.flush()
            try await store.close()
        }
        #expect(try !home.past.isEmpty)
        #expect(try home.permissions(of: ".settings.json.journal") == 0o600)
        let store = try await home.open(.unchanged)
        let told = try await store.entries().map { entry in
            let change = entry.changes[0]
            func text(_ value: SettingValue?) -> String {
                if case .string(let text)? = value { String(text.prefix(6)) } else { "nothing" }
            }
            return "\(entry.author.name ?? ""): \(text(change.oldValue).prefix(6)) → \(text(change.newValue))"
        }
        #expect(told == Array(expected.prefix(most)))
        try await store.close()
    }

    @Test("An edit by hand and another store's commits are told", arguments: HistoryPlace.Kind.allCases)
    func others(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let (store, other) = try await (home.open(), home.open(.unchanged))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        try await store.file.flush()
        try await other.commit(author: "other") { try other.keys.setValue(2, forKey: "count") }
        try await other.file.flush()
        try home.edit(["count": .integer(5)])
        try await settings.commit { settings.other = 1 }
        let entries = try await store.entries()
        #expect(entries.map(\.origin) == [.local, .external, .local, .local])
        #expect(entries.map { $0.author.name } == [nil, nil, "other", nil])
        #expect(entries[1].changes.map(\.description) == ["count: 2 → 5"] && entries[1].author.process == nil)
        #expect(try await other.entries().map(\.token) == entries.map(\.token))
        try await other.close()
        try await store.close()
    }

    @Test("A migration is told as one, without its record", arguments: HistoryPlace.Kind.allCases)
    func migrations(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        var store = try await home.open()
        try await store.commit { try store.keys.setValue(1, forKey: "old") }
        try await store.close()
        store = try await home.open(migrations: [.rename("old", to: "new")])
        let entries = try await store.entries()
        #expect(entries.map(\.origin) == [.migration, .local])
        #expect(entries[0].author == entries[1].author)
        #expect(entries[0].changes.map(\.description) == ["new: nothing → 1", "old: 1 → nothing"])
        try await store.close()
    }

    @Test("An entry is the same after a way through JSON") func coding() async throws {
        let home = try HistoryPlace(.memory)
        let store = try await home.open()
        try home.edit(["none": .null, "number": .real(1.5)])
        let first = try await store.entries()
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.outputFormatting = [.sortedKeys]
        let data = try encoder.encode(first)
        let decoded = try decoder.decode([HistoryEntry].self, from: data)
        #expect(decoded.map(\.changes) == first.map(\.changes) && decoded.map(\.token) == first.map(\.token))
        #expect(decoded[0].changes[0].newValue == .null && decoded[0].changes[0].oldValue == nil)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#"{"isSecret":false,"key":"none","newValue":null}"#))
        #expect(text.contains(#""token":"\#(first[0].token)""#))
    }

    @Test("Without a kept history an error says how to turn it on", arguments: HistoryPlace.Kind.allCases)
    func notKept(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open(.unchanged)
        try await store.commit { try store.keys.setValue(1, forKey: "a") }
        let error = await #expect(throws: SettingsError.self) { try await store.entries() }
        #expect(error?.code == .historyUnavailable)
        #expect(error?.description.contains("Configuration(history: .keep())") == true)
        let token = try store.newest()
        let undo = await #expect(throws: SettingsError.self) { try await store.history.undo(token) }
        #expect(undo?.description == error?.description)
        try await store.close()
        let closed = await #expect(throws: SettingsError.self) { try await store.entries() }
        #expect(closed?.code == .closed)
    }

    @Test("Reading ends with its task") func cancellation() async throws {
        let store = try await HistoryPlace(.memory).open()
        try await store.commit { try store.keys.setValue(1, forKey: "a") }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.entries().count
        }
        #expect(try await task.value == 0)
    }

    @Test("A migration from before the history was kept is told as one, too") func earlierMigration() async throws {
        let home = try HistoryPlace()
        try home.edit(["old": .integer(1)])
        let store = try await home.open(.unchanged, migrations: [.rename("old", to: "new")])
        try await store.close()
        let later = try await home.open()
        let entry = try #require(try await later.entries(limit: 1).first)
        #expect(entry.origin == .migration && entry.changes.allSatisfy { !$0.key.contains("settle") })
        let error = await #expect(throws: SettingsError.self) { try await later.history.undo(entry.token) }
        #expect(error?.code == .notUndoable)
        try await later.close()
    }

    @Test("A history that is exchanged while it is read is not told as one") func exchanged() async throws {
        let store = try await SettingsStore.open(
            storage: ExchangedHistory(base: InMemoryStorage()),
            configuration: SettingsStore.Configuration(history: .keep()))
        for number in 1...100 { try await store.commit { try store.keys.setValue(number, forKey: "a") } }
        var told = 0
        let error = await #expect(throws: SettingsError.self) {
            for try await _ in store.history.entries() { told += 1 }
        }
        #expect(error?.code == .historyUnavailable && told == 64)
    }

    @Test("A comment that somebody adds to a file while no program runs is no transaction")
    func commentedFile() async throws {
        let fixture = try FileStorageFixture()
        for number in 1...3 {
            let storage = FileStorage(at: fixture.file, calls: fixture.calls)
            let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
            try await store.commit { try store.keys.setValue(number, forKey: "a") }
            let entries = try await store.entries()
            #expect(entries.map { $0.changes.map(\.newValue) } == (1...number).reversed().map { [.integer(Int64($0))] })
            try await store.close()
            try fixture.write("// \(number)\n" + fixture.text())
        }
    }

    @Test("A file's place is told also while it is at work") func atWork() throws {
        let fixture = try FileStorageFixture()
        let storage = try fixture.opened()
        let seen = LockedValue<ChangeToken?>(nil)
        let receipt = try storage.append(batch(1, ["a": .integer(1)]), durability: .synced)
        fixture.calls.beforeNext(.rename) { [weak storage] in seen.withLock { $0 = storage?.token } }
        _ = try storage.checkpoint(SettingTree(["a": .integer(1)]), for: .requested)
        #expect(seen.withLock { $0 } == receipt.token && receipt.token != nil)
    }
}

/// A storage whose history is another one once it has begun to tell it.
private struct ExchangedHistory: StorageWrapper {
    let base: any Storage

    func records(before token: ChangeToken?, limit: Int) async throws(StorageError) -> [StoredRecord] {
        var records = try await history?.records(before: token, limit: limit) ?? []
        guard token != nil else { return records }
        for index in records.indices { records[index].token.history ^= 1 }
        return records
    }
}
