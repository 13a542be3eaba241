import Settle
import SettleTesting
import Testing

/// What undo does with keys around and within each other, dotted names, and other domains; and with hostile code.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UndoKeysTests {
    @Test("A dictionary is taken back key by key", arguments: HistoryPlace.Kind.allCases)
    func dictionaries(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        func set(_ values: SettingValue.Entries) async throws -> ChangeToken {
            try await store.commit { try store.keys.setValue(.dictionary(values), forKey: "plugins") }
            return try store.newest()
        }
        _ = try await set(["a": .integer(1), "b": .dictionary(["c": .integer(1)])])
        let second = try await set(["a": .integer(2), "b": .dictionary(["c": .integer(2), "d": .integer(2)])])
        try await store.commit { try store.keys.setValue(3, forKey: "plugins.a") }
        let result = try await store.history.undo(second)
        #expect(result.keys == ["plugins.b.c", "plugins.b.d"] && result.conflicts.map(\.key) == ["plugins.a"])
        #expect(
            try await home.stored()["plugins"]
                == .dictionary([
                    "a": .integer(3), "b": .dictionary(["c": .integer(1)]),
                ]))
        // All of it removed, and put back.
        try await store.commit { try store.keys.removeValue(forKey: "plugins") }
        try await store.history.undo(try store.newest())
        #expect(try await home.stored()["plugins.b.c"] == .integer(1))
        // A scalar in its place.
        try await store.commit { try store.keys.setValue(5, forKey: "plugins") }
        #expect(try await store.history.undo(try store.newest()).keys == ["plugins"])
        #expect(try await home.stored()["plugins.a"] == .integer(3))
        try await store.close()
    }

    @Test("Writes of a key and of keys within it in one transaction are taken back together")
    func nested() async throws {
        let home = try HistoryPlace(.memory)
        let store = try await home.open()
        try await store.commit { try store.keys.setValue(.dictionary(["x": .integer(0)]), forKey: "a") }
        let before = try await home.stored()
        try await store.commit {
            try store.keys.setValue(.dictionary(["b": .integer(1), "c": .integer(1)]), forKey: "a")
            try store.keys.setValue(2, forKey: "a.b")
        }
        let result = try await store.history.undo(try store.newest())
        #expect(result.conflicts.isEmpty)
        #expect(try await home.stored() == before)
        try await store.history.undo(try #require(result.token))
        #expect(try await home.stored()["a"] == .dictionary(["b": .integer(2), "c": .integer(1)]))
    }

    @Test(
        "What was written before a group was declared is undone in its settings", arguments: HistoryPlace.Kind.allCases)
    func declaredLater(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        try await store.commit {
            try store.keys.setValue(.dictionary(["count": .integer(1), "more": .integer(1)]), forKey: "inner")
        }
        try await store.commit {
            try store.keys.setValue(.dictionary(["count": .integer(2), "more": .integer(2)]), forKey: "inner")
            try store.keys.setValue(.dictionary(["width": .integer(2), "height": .integer(2)]), forKey: "window")
        }
        let token = try store.newest()
        try await store.commit {
            try store.keys.setValue(8, forKey: "window.width")
            try store.keys.setValue(9, forKey: "window.height")
        }
        let parts = try store.newest()
        let settings = try await store.group(OuterSettings.self)
        let dated = try await store.group(DatedSettings.self)
        #expect(try await store.history.undo(parts).keys == ["window.height", "window.width"])
        #expect(dated.window == DatedSettings.Window(width: 2, height: 2))
        let result = try await store.history.undo(token)
        #expect(result.keys == ["inner.count", "inner.more", "window"] && result.conflicts.isEmpty)
        #expect(settings.inner.count == 1 && dated.$window.isDefault)
        #expect(
            try await home.stored()
                == SettingTree([
                    "inner": .dictionary(["count": .integer(1), "more": .integer(1)])
                ]))
        try await store.close()
    }

    @Test("Parts of a struct are put back together, so that its rule sees them at once") func structs() async throws {
        let home = try HistoryPlace(.memory)
        let store = try await home.open()
        let settings = try await store.group(RangeSettings.self)
        try await settings.commit { settings.range = RangeSettings.Range(low: 1, high: 2) }
        try home.edit(["range.low": .integer(11), "range.high": .integer(12)])
        try await settings.commit {}
        #expect(settings.range == RangeSettings.Range(low: 11, high: 12))
        #expect(try await store.history.undo(try store.newest()).keys == ["range.high", "range.low"])
        #expect(settings.range == RangeSettings.Range(low: 1, high: 2))
    }

    @Test("Names with dots are put back where they were", arguments: HistoryPlace.Kind.allCases)
    func dots(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let key = SettingKey.path("accounts", "carol@example.com", "size")
        try await store.commit { try store.keys.setValue(1, forKey: key) }
        try await store.commit { try store.keys.setValue(2, forKey: key) }
        #expect(try await store.told(of: "accounts.carol@example\\.com").count == 2)
        #expect(try await store.history.undo(try store.newest()).keys == [key.description])
        #expect(try await home.stored()[key] == .integer(1))
        try await store.close()
    }

    @Test("Where another domain covers a key, the stored value is put back") func covered() async throws {
        let home = try HistoryPlace(.memory)
        let store = try await home.open(searching: [.arguments(["tool", "-count", "50"]), .application])
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        try await settings.commit { settings.count = 2 }
        #expect(settings.count == 50)
        #expect(try await store.history.undo(try store.newest()).keys == ["count"])
        #expect(try await home.stored()["count"] == .integer(1))
        #expect(settings.count == 50)
    }

    @Test("A key that an administrator has locked is not put back") func locked() async throws {
        let home = try HistoryPlace(.memory)
        let managed = TestDomain()
        let store = try await home.open(searching: [.source("managed", managed, locksKeys: true), .application])
        try await store.commit { try store.keys.setValue(1, forKey: "count") }
        let token = try store.newest()
        managed.set(["count": 9])
        for await value in store.keys.values(forKey: "count", as: Int.self) where value == 9 { break }
        let error = await #expect(throws: SettingsError.self) { try await store.history.undo(token) }
        #expect(error?.code == .locked && error?.key == "count")
        #expect(try await home.stored()["count"] == .integer(1))
    }

    @Test("What a rule writes while undo runs is a part of it") func writingRule() async throws {
        let home = try HistoryPlace(.memory)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        let hostile = try await store.group(HostileRuleSettings.self)
        try await hostile.commit { hostile.checked = 1 }
        try await hostile.commit { hostile.checked = 2 }
        let token = try store.newest()
        HostileRuleSettings.action.withLock { $0 = { settings.count += 1 } }
        defer { HostileRuleSettings.action.withLock { $0 = nil } }
        let result = try await store.history.undo(token)
        HostileRuleSettings.action.withLock { $0 = nil }
        #expect(hostile.checked == 1 && settings.count > 0 && result.keys == ["checked"])
        let entry = try #require(try await store.entries(limit: 1).first)
        #expect(entry.undone == token && entry.changes.map(\.key) == ["checked", "count"])
        // It is taken back with it.
        try await store.history.undo(entry.token)
        #expect(hostile.checked == 2 && settings.$count.isDefault)
    }

    @Test("Undos and commits of two stores of a file come one after the other", arguments: HistoryPlace.Kind.allCases)
    func concurrent(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let (store, other) = try await (home.open(), home.open())
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1_000 }
        let expected = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                for number in 1...30 { try await other.commit { try other.keys.setValue(number, forKey: "other") } }
                return 0
            }
            group.addTask {
                // Each is taken back in turn, so nothing is left of it.
                var undone = 0
                for number in 1...15 {
                    try await store.commit(author: "me") { try store.keys.setValue(number, forKey: "step.\(number)") }
                    undone += try await store.history.undo(lastBy: "me").keys.count
                }
                return undone
            }
            return try await group.reduce(0, +)
        }
        #expect(expected == 15)
        #expect(try await home.stored() == SettingTree(["count": .integer(1_000), "other": .integer(30)]))
        #expect(try await store.entries().count == 61)
        try await other.close()
        try await store.close()
    }

    @Test("What is written while the history is read is a conflict") func meanwhile() async throws {
        let storage = ReadHistory(base: InMemoryStorage())
        let store = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(history: .keep()))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { (settings.count, settings.other) = (1, 1) }
        let token = try store.newest()
        storage.whenRead.withLock { $0 = { settings.count = 9 } }
        let result = try await store.history.undo(token)
        #expect(result.keys == ["other"] && result.conflicts.map(\.valueNow) == [.integer(9)])
        #expect(settings.count == 9 && settings.$other.isDefault)
    }

    @Test("A commit that shares its append with the undo comes before it") func shared() async throws {
        let failing = FailingStorage(InMemoryStorage())
        let store = try await SettingsStore.open(
            storage: failing, configuration: SettingsStore.Configuration(history: .keep(), clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { (settings.count, settings.other) = (1, 1) }
        let token = try store.newest()
        let hold = failing.hold(.append)
        let first = Task.immediate { try await settings.commit { settings.name = "held" } }
        await hold.waitUntilReached()
        // Both wait for the append when it goes on.
        let second = Task.immediate { try await settings.commit { settings.count = 9 } }
        let undo = Task.immediate { try await store.history.undo(token) }
        hold.release()
        _ = try await (first.value, second.value)
        let result = try await undo.value
        #expect(result.keys == ["other"] && result.conflicts.map(\.valueNow) == [.integer(9)])
        #expect(settings.count == 9)
    }

    @Test("On a storage without a lock it looks again if others were faster") func unlocked() async throws {
        let memory = InMemoryStorage()
        let storage = UnlockedHistory(base: memory)
        let store = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(history: .keep()))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { (settings.count, settings.other) = (1, 1) }
        let token = try store.newest()
        storage.beforeAppend.withLock { $0 = { memory.simulateExternalChange(["count": .integer(7)]) } }
        let result = try await store.history.undo(token)
        #expect(result.keys == ["other"] && result.conflicts.map(\.valueNow) == [.integer(7)])
        #expect(memory.tree == SettingTree(["count": .integer(7)]))
    }
}

struct RangeSettings: SettingsGroup {
    struct Range: Codable, Sendable, Equatable {
        var low = 0
        var high = 10
    }

    @Setting(.check("ordered") { $0.low <= $0.high }) var range = Range()
}

struct HostileRuleSettings: SettingsGroup {
    static let action = LockedValue<(@Sendable () -> Void)?>(nil)

    @Setting(
        .check("anything") { _ in
            Self.action.withLock { $0 }?()
            return true
        })
    var checked = 0
}

/// A storage that tells a test once when its history is read.
final class ReadHistory: StorageWrapper {
    let base: any Storage
    let whenRead = LockedValue<(@Sendable () -> Void)?>(nil)

    init(base: any Storage) { self.base = base }

    func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]? {
        tell()
        return try await history?.records(after: token, limit: limit)
    }

    func records(before token: ChangeToken?, limit: Int) async throws(StorageError) -> [StoredRecord] {
        tell()
        return try await history?.records(before: token, limit: limit) ?? []
    }

    private func tell() {
        let action = whenRead.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
