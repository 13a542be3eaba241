import SettleTesting
import Synchronization
import Testing

@testable import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Taking transactions of the history back.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UndoTests {
    @Test("Undo, redo and undo again, also after restarts", arguments: HistoryPlace.Kind.allCases)
    func redo(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        var store = try await home.open()
        var settings = try await store.group(CounterSettings.self)
        try await settings.commit(author: "alice") { (settings.count, settings.name) = (1, "a") }
        try await settings.commit(author: "alice") { (settings.count, settings.list) = (2, [1]) }
        var token = try store.newest()
        var undone: ChangeToken?
        for round in 1...4 {
            try await store.close()
            store = try await home.open(.unchanged)
            settings = try await store.group(CounterSettings.self)
            let result = try await store.history.undo(token, author: "bob \(round)")
            #expect(result.undone == token && result.keys == ["count", "list"] && result.conflicts.isEmpty)
            #expect(settings.count == (round.isMultiple(of: 2) ? 2 : 1) && settings.name == "a")
            #expect(settings.list == (round.isMultiple(of: 2) ? [1] : []))
            #expect(settings.$list.isDefault == !round.isMultiple(of: 2))
            // On stable storage by now.
            #expect(try await home.stored()["count"] == .integer(Int64(settings.count)))
            let entry = try #require(try await store.entries(limit: 1).first)
            #expect(entry.token == result.token && entry.undone == token && entry.author.name == "bob \(round)")
            #expect(entry.changes.count == 2 && entry.description.contains("undoes \(token)"))
            (undone, token) = (token, try #require(result.token))
        }
        #expect(undone != nil)
        try await store.close()
    }

    @Test("A removal that leaves the value in force is told, and undone", arguments: HistoryPlace.Kind.allCases)
    func removedDefaults(_ kind: HistoryPlace.Kind) async throws {
        struct Group: SettingsGroup { @Setting var a = 3 }
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(Group.self)
        settings.a = 14
        try await store.flush()
        try store.keys.setValue(3, forKey: "a")
        try store.keys.removeValue(forKey: "a")
        try await settings.commit { settings.a = 6 }
        let told = ["a: nothing → 6", "a: 3 → nothing", "a: 14 → 3", "a: nothing → 14"]
        #expect(try await store.told() == told)
        let entries = try await store.entries()
        // The newest first, so that there are no conflicts.
        let stored: [SettingValue?] = [nil, .integer(3), .integer(14), nil]
        for (entry, value) in zip(entries, stored) {
            let result = try await store.history.undo(entry.token)
            #expect(result.keys == ["a"] && result.conflicts.isEmpty && result.token != nil)
            #expect(try await home.stored()["a"] == value)
        }
        #expect(settings.a == 3 && settings.$a.isDefault)
        // Undo of the undo that has removed the stored default.
        #expect(try await store.told().prefix(3) == ["a: 14 → nothing", "a: 3 → 14", "a: nothing → 3"])
        try await store.close()
    }

    @Test("Keys that have changed since are conflicts, which force overrides", arguments: HistoryPlace.Kind.allCases)
    func conflicts(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { (settings.count, settings.other, settings.name) = (1, 1, "a") }
        let token = try store.newest()
        try await settings.commit { settings.count = 2 }
        // Not saved yet, which counts all the same.
        try settings.$name.reset()
        let result = try await store.history.undo(token)
        #expect(result.keys == ["other"] && settings.count == 2 && settings.$other.isDefault)
        #expect(
            result.conflicts == [
                UndoConflict(key: "count", oldValue: nil, valueThen: .integer(1), valueNow: .integer(2)),
                UndoConflict(key: "name", oldValue: nil, valueThen: .string("a"), valueNow: nil),
            ])
        #expect(
            result.conflicts.map(\.description) == [
                "count: was 1, is 2 now", "name: was \"a\", is not stored now",
            ])
        let forced = try await store.history.undo(token, force: true)
        #expect(forced.keys == ["count"] && forced.conflicts.isEmpty && settings.$count.isDefault)
        #expect(try await home.stored().root.isEmpty)
        try await store.close()
    }

    @Test("Undoing what is undone already writes nothing and says so", arguments: HistoryPlace.Kind.allCases)
    func twice(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let token = try store.newest()
        try await store.history.undo(token)
        let (revision, newest) = (store.revision, store.history.token)
        let again = try await store.history.undo(token)
        #expect(again.token == nil && again.keys.isEmpty && again.conflicts.map(\.key) == ["count"])
        let forced = try await store.history.undo(token, force: true)
        #expect(forced.token == nil && forced.keys.isEmpty && forced.conflicts.isEmpty)
        #expect(store.revision == revision && store.history.token == newest)
        try await store.close()
    }

    @Test("The last one by an author goes one step back each time, and counts what was redone")
    func lastByAuthor() async throws {
        let store = try await HistoryPlace(.memory).open()
        let settings = try await store.group(CounterSettings.self)
        for number in 1...3 {
            try await settings.commit(author: "alice") { settings.count = number }
            try await settings.commit(author: "bob") { settings.other = number }
        }
        #expect(try await store.history.undo(lastBy: "alice", author: "alice").keys == ["count"])
        #expect(settings.count == 2)
        let second = try await store.history.undo(lastBy: "alice", author: "alice")
        #expect(settings.count == 1 && settings.other == 3)
        try await store.history.undo(try #require(second.token), author: "alice")
        #expect(settings.count == 2)
        // What has been redone is the newest one again.
        let third = try await store.history.undo(lastBy: "alice", author: "alice")
        #expect(third.undone == second.undone && settings.count == 1)
        try await store.history.undo(lastBy: "alice")
        #expect(settings.$count.isDefault)
        let error = await #expect(throws: SettingsError.self) { try await store.history.undo(lastBy: "alice") }
        #expect(error?.code == .notUndoable && error?.description.contains("“alice”") == true)
        #expect(settings.other == 3)
    }

    @Test("An edit by hand is undone, however the file spells values", arguments: HistoryPlace.Kind.allCases)
    func edits(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        var store = try await home.open()
        var settings = try await store.group(DatedSettings.self)
        let date = Date(timeIntervalSince1970: 1_000_000)
        try await settings.commit { settings.window = DatedSettings.Window(width: 1, height: 2) }
        try await store.commit { try store.keys.setValue(SettingValue.date(date), forKey: "plain") }
        try await settings.commit { settings.moment = date }
        let set = try store.newest()
        try await store.file.flush()
        try home.edit(["window.width": .integer(7), "count": .string("wrong"), "new.key": .bool(true)])
        try await settings.commit {}
        #expect(settings.window.width == 7 && settings.count == 0)
        try await store.close()
        store = try await home.open()
        settings = try await store.group(DatedSettings.self)
        let edit = try #require(try await store.entries().first { $0.origin == .external })
        let result = try await store.history.undo(edit.token)
        #expect(result.conflicts.isEmpty && result.keys == ["count", "new.key", "window.width"])
        #expect(settings.window == DatedSettings.Window(width: 1, height: 2))
        let tree = try await home.stored()
        #expect(tree["new"] == nil && tree["count"] == nil)
        // The file has texts where the history has dates.
        try await store.file.flush()
        try await store.close()
        store = try await home.open()
        settings = try await store.group(DatedSettings.self)
        #expect(try await store.history.undo(set).keys == ["moment"])
        let plain = try #require(try await store.entries(of: "plain").first)
        #expect(try await store.history.undo(plain.token).keys == ["plain"])
        #expect(try await home.stored()["plain"] == nil)
        try await store.close()
    }

    @Test("A value that breaks its rule or does not convert refuses all of it", arguments: HistoryPlace.Kind.allCases)
    func refusals(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        var store = try await home.open()
        try await store.commit {
            try store.keys.setValue(99, forKey: "limited")
            try store.keys.setValue("text", forKey: "count")
        }
        try await store.commit {
            try store.keys.setValue(5, forKey: "limited")
            try store.keys.setValue(1, forKey: "plain")
        }
        let broken = try store.newest()
        try await store.commit {
            try store.keys.setValue(5, forKey: "count")
            try store.keys.setValue(2, forKey: "plain")
        }
        let wrong = try store.newest()
        try await store.close()
        store = try await home.open()
        let settings = try await store.group(LimitedSettings.self)
        let before = try await home.stored()
        let rule = await #expect(throws: SettingsError.self) { try await store.history.undo(broken, force: true) }
        #expect(rule?.code == .invalidValue && rule?.key == "limited" && rule?.rule == "in 0...10")
        let type = await #expect(throws: SettingsError.self) { try await store.history.undo(wrong) }
        #expect(type?.code == .unusableValue && type?.key == "count")
        #expect(try await home.stored() == before && settings.limited == 5)
        #expect(try await store.entries().count == 3)
        try await store.close()
    }

    @Test(
        "A process without an owner's group can't undo what the owner has written",
        arguments: HistoryPlace.Kind.allCases)
    func undeclaredOwners(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let owner = try await home.open()
        let settings = try await owner.group(PartlyHiddenSettings.self)
        try await settings.commit(author: "alice") { settings.inner.count = 1 }
        let open = try owner.newest()
        try await settings.commit(author: "alice") { settings.owned.attempts = 3 }
        let single = try owner.newest()
        try await settings.commit(author: "alice") { (settings.inner.count, settings.owned.attempts) = (2, 4) }
        let joint = try owner.newest()
        settings.owned.attempts = 5
        try await owner.flush()
        let debounced = try owner.newest()
        try await owner.close()

        // Also after the process, and with a journal that has been written anew.
        for _ in 0..<2 {
            let other = try await home.open()
            try await other.file.flush()
            for (token, key) in [(single, "owned.attempts"), (joint, nil), (debounced, "owned.attempts")] {
                let error = await #expect(throws: SettingsError.self) {
                    try await other.history.undo(token, force: true)
                }
                #expect(error?.code == .notUndoable && error?.key == key)
                #expect(error?.rule == "written by code that has its group")
                #expect(error?.description.contains("“owned.attempts”") == true)
            }
            let last = await #expect(throws: SettingsError.self) {
                try await other.history.undo(lastBy: "alice", force: true)
            }
            #expect(last?.code == .notUndoable)
            #expect(try await home.stored()["owned.attempts"] == .integer(5))
            try await other.close()
        }
        let other = try await home.open()
        #expect(try await other.history.undo(open, force: true).keys == ["inner.count"])
        #expect(try await home.stored()["inner.count"] == nil)
        try await other.close()
    }

    @Test(
        "Owner's settings, secrets, and what lies before a migration can't be undone",
        arguments: HistoryPlace.Kind.allCases)
    func forbidden(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        var store = try await home.open()
        let outer = try await store.group(PartlyHiddenSettings.self)
        try await outer.commit(author: "alice") { (outer.inner.count, outer.owned.attempts) = (1, 3) }
        let owned = try store.newest()
        try await outer.commit { (outer.inner.count, outer.token) = (2, Secret("hush")) }
        let secret = try store.newest()
        let protected = await #expect(throws: SettingsError.self) { try await store.history.undo(owned, force: true) }
        #expect(protected?.code == .notUndoable && protected?.key == "owned.attempts")
        #expect(protected?.rule == "written by code that has its group")
        let hidden = await #expect(throws: SettingsError.self) { try await store.history.undo(secret) }
        #expect(hidden?.code == .notUndoable && hidden?.key == "token" && hidden?.rule == "no secret")
        #expect(outer.inner.count == 2 && outer.owned.attempts == 3)
        try await outer.commit(author: "alice") { outer.inner.count = 3 }
        let early = try store.newest()
        try await store.close()
        store = try await home.open(migrations: [.rename("inner.count", to: "inner.other")])
        let migration = try #require(try await store.entries(limit: 1).first)
        for (token, reason) in [(early, "before"), (migration.token, "it is a migration")] {
            let error = await #expect(throws: SettingsError.self) { try await store.history.undo(token) }
            #expect(error?.code == .notUndoable && error?.description.contains(reason) == true)
            #expect(error?.rule == "newer than the newest migration")
        }
        let last = await #expect(throws: SettingsError.self) { try await store.history.undo(lastBy: "alice") }
        #expect(last?.code == .notUndoable)
        try await store.commit { try store.keys.setValue(9, forKey: "inner.other") }
        #expect(try await store.history.undo(try store.newest()).keys == ["inner.other"])
        #expect(try await home.stored()["inner.other"] == .integer(3))
        try await store.close()
    }

    @Test("Tokens that are not known say why", arguments: HistoryPlace.Kind.allCases)
    func unknown(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open(.keep(transactions: 2))
        try await store.commit { try store.keys.setValue(0, forKey: "a") }
        let first = try store.newest()
        for number in 1...3 { try await store.commit { try store.keys.setValue(number, forKey: "a") } }
        let newest = try store.newest()
        func reason(_ token: ChangeToken) async -> String {
            let error = await #expect(throws: SettingsError.self) { try await store.history.undo(token, force: true) }
            #expect(error?.code == .historyUnavailable)
            return error?.description ?? ""
        }
        #expect(await reason(first).contains("no longer known"))
        let foreign = ChangeToken(history: newest.history ^ 1, position: newest.position, checksum: newest.checksum)
        let later = ChangeToken(history: newest.history, position: newest.position + 1, checksum: newest.checksum)
        let other = ChangeToken(history: newest.history, position: newest.position, checksum: newest.checksum ^ 1)
        for token in [foreign, later, other] { #expect(await reason(token).contains("another history")) }
        try await store.close()
    }

    @Test("Transactions of which only the sum is known can't be undone") func sums() async throws {
        let storage = FailingStorage(InMemoryStorage())
        let configuration = SettingsStore.Configuration(logLimit: 4, history: .keep(), clock: ManualClock())
        let store = try await SettingsStore.open(storage: storage, configuration: configuration)
        let settings = try await store.group(CounterSettings.self)
        // What is written while an append is at work comes with the next one.
        let hold = storage.hold(.append)
        settings.count = 1
        await hold.waitUntilReached()
        for number in 2...20 { settings.count = number }
        hold.release()
        try await store.flush()
        let entries = try await store.entries()
        let sum = try #require(entries.last { $0.count > 1 })
        #expect(entries.reduce(0) { $0 + $1.count } == 20)
        let error = await #expect(throws: SettingsError.self) { try await store.history.undo(sum.token) }
        #expect(error?.code == .notUndoable && error?.description.contains("\(sum.count) transactions") == true)
        var inner = sum.token
        inner.position -= 1
        let within = await #expect(throws: SettingsError.self) { try await store.history.undo(inner) }
        #expect(within?.code == .historyUnavailable && within?.description.contains("known only together") == true)
        #expect(settings.count == 20)
    }
}

struct DatedSettings: SettingsGroup {
    struct Window: Codable, Sendable, Equatable {
        var width = 0
        var height = 0
    }

    @Setting var moment = Date(timeIntervalSince1970: 0)
    @Setting var window = Window()
    @Setting var count = 0
}

struct LimitedSettings: SettingsGroup {
    @Setting(in: 0...10) var limited = 5
    @Setting var count = 0
    @Setting var plain = 0
}
