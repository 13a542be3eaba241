import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Commits that take themselves back, in stores with the history in memory and in files.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnconfirmedTests {
    private static let length = Duration.seconds(300)

    /// Waits until nothing is unconfirmed in a store and that is saved: values are in force before they are appended.
    /// Time must have passed.
    private func settled(_ store: SettingsStore) async throws {
        try await eventually("nothing is unconfirmed") { store.unconfirmed.change == nil }
        try await store.flush()
    }

    /// Waits until a store sleeps until something is due: the deadline, or what comes before it.
    private func isAwaited(_ home: HistoryPlace) async { await home.clock.sleepers(atLeast: 1) }

    @Test(
        "A change is taken back when its time is over, as an undo with its reason",
        arguments: HistoryPlace.Kind.allCases)
    func takenBack(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let before = try await home.stored()
        try await store.commit(author: "alice", confirmWithin: Self.length) {
            (settings.count, settings.other) = (2, 5)
        }
        let committed = try store.newest()
        let change = try #require(store.unconfirmed.change)
        #expect(change.keys == ["count", "other"] && change.author == "alice" && change.remaining == Self.length)
        #expect(change.duration == Self.length && abs(change.deadline.timeIntervalSince(change.time) - 300) < 0.001)
        #expect(try await home.stored()[UnconfirmedCommit.key] != nil)
        await isAwaited(home)
        home.clock.advance(by: .seconds(299))
        #expect(store.unconfirmed.change?.remaining == .seconds(1) && settings.count == 2)
        home.clock.advance(by: .seconds(1))
        try await settled(store)
        #expect(settings.count == 1 && settings.$other.isDefault)
        #expect(try await home.stored() == before)
        let entry = try #require(try await store.entries().first)
        #expect(entry.undone == committed && entry.reason == "not confirmed within 5 minutes")
        #expect(entry.origin == .local && entry.changes.map(\.key) == ["count", "other"] && entry.author.name == nil)
        #expect("\(entry)".contains("not confirmed within 5 minutes"))
        // An undo is undone as any other.
        try await store.history.undo(entry.token)
        #expect(settings.count == 2 && store.unconfirmed.change == nil)
        try await store.close()
    }

    @Test("A commit is taken back to what an earlier one of its round has written", arguments: [0, 1, 2])
    func round(_ kind: Int) async throws {
        let failing = FailingStorage(InMemoryStorage())
        let store = try await SettingsStore.open(storage: failing)
        let settings = try await store.group(CounterSettings.self)
        try await store.commit(confirmWithin: Self.length) { settings.count = 1 }
        // The second one comes while the first one waits for the lock, so that one round has both.
        let hold = failing.hold(.lock)
        let first = Task.immediate {
            switch kind {
            case 0: _ = try await store.unconfirmed.revert()
            case 1: try await store.commit { settings.count = 2 }
            default: try await store.commit(confirmWithin: Self.length) { settings.count = 2 }
            }
        }
        await hold.waitUntilReached()
        let second = Task.immediate {
            try await store.commit(confirmWithin: Self.length) { settings.count = 3 }
        }
        hold.release()
        try await first.value
        try await second.value
        #expect(settings.count == 3 && store.unconfirmed.change?.keys == ["count"])
        try await store.unconfirmed.revert()
        // What somebody has written for good between two joined commits stays.
        #expect(settings.count == (kind == 1 ? 2 : 0))
        try await store.close()
    }

    @Test("The commits of a draft, and those with a condition, are taken back as well", arguments: [0, 1, 2])
    func otherCommits(_ kind: Int) async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let token = try #require(store.history.token)
        switch kind {
        case 0:
            let draft = settings.draft()
            draft.count = 2
            try await draft.commit(author: "alice", confirmWithin: Self.length)
        case 1:
            try await store.commit(
                ifUnchangedSince: token, keys: ["count"], author: "alice", confirmWithin: Self.length
            ) { settings.count = 2 }
        default:
            try await settings.commit(ifUnchangedSince: token, author: "alice", confirmWithin: Self.length) {
                $0.count = 2
            }
        }
        let change = try #require(store.unconfirmed.change)
        #expect(change.keys == ["count"] && change.author == "alice" && settings.count == 2)
        // A conflict leaves what is unconfirmed as it was.
        let error = await #expect(throws: SettingsError.self) {
            try await store.commit(ifUnchangedSince: token, confirmWithin: .seconds(9_000)) { settings.other = 9 }
        }
        #expect(error?.code == .conflict && store.unconfirmed.change?.duration == Self.length)
        await isAwaited(home)
        home.clock.advance(by: Self.length)
        try await settled(store)
        #expect(settings.count == 1 && settings.$other.isDefault)
        try await store.close()
    }

    @Test("A confirmed change stays", arguments: HistoryPlace.Kind.allCases)
    func confirmed(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit(confirmWithin: Self.length) { $0.count = 2 }
        await isAwaited(home)
        home.clock.advance(by: .seconds(299))
        try await store.unconfirmed.confirm(author: "alice")
        #expect(store.unconfirmed.change == nil)
        home.clock.advance(by: .seconds(1_000))
        try await store.flush()
        #expect(try await home.stored() == SettingTree(["count": .integer(2)]))
        let entry = try #require(try await store.entries().first)
        #expect(entry.reason == "confirmed" && entry.author.name == "alice" && entry.changes.isEmpty)
        var error = await #expect(throws: SettingsError.self) { try await store.unconfirmed.confirm() }
        #expect(error?.code == .nothingUnconfirmed)
        error = await #expect(throws: SettingsError.self) { try await store.unconfirmed.revert() }
        #expect(error?.code == .nothingUnconfirmed)
        try await store.close()
        #expect(try await home.open().keys.effectiveValues["count"] == .integer(2))
    }

    @Test("A change can be taken back before its time", arguments: HistoryPlace.Kind.allCases)
    func reverted(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit(confirmWithin: Self.length) { $0.count = 2 }
        let committed = try store.newest()
        let result = try await store.unconfirmed.revert(author: "bob")
        #expect(result.keys == ["count"] && result.undone == committed && result.conflicts.isEmpty)
        let entry = try #require(try await store.entries().first)
        #expect(entry.token == result.token && entry.author.name == "bob")
        #expect(entry.reason == "reverted before it was confirmed" && entry.undone == committed)
        #expect(settings.count == 0 && store.unconfirmed.change == nil)
    }

    @Test("A store that is opened too late has taken it back before it is there", arguments: HistoryPlace.Kind.allCases)
    func opened(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let first = try await home.open()
        try await first.commit { try first.keys.setValue(1, forKey: "count") }
        try await first.commit(confirmWithin: Self.length) { try first.keys.setValue(2, forKey: "count") }
        try await first.close()
        home.clock.advance(by: .seconds(299))
        let second = try await home.open()
        #expect(second.keys.effectiveValues["count"] == .integer(2))
        #expect(second.unconfirmed.change?.remaining == .seconds(1))
        try await second.close()
        home.clock.advance(by: .seconds(1))
        let third = try await home.open()
        #expect(third.keys.effectiveValues["count"] == .integer(1) && third.unconfirmed.change == nil)
        #expect(try await third.entries().first?.reason == "not confirmed within 5 minutes")
        try await third.close()
        #expect(try await home.stored() == SettingTree(["count": .integer(1)]))
    }

    @Test("Another boot is decided by the wall clock, and measured by its own clock from then on")
    func rebooted() async throws {
        let home = try HistoryPlace(.file)
        let first = try await home.open()
        try await first.commit(confirmWithin: Self.length) { try first.keys.setValue(2, forKey: "count") }
        try await first.close()
        home.clock.reboot(off: .seconds(100))
        let second = try await home.open()
        #expect(abs(try #require(second.unconfirmed.change).remaining / .seconds(1) - 200) < 1)
        home.clock.setWallClock(forwardBy: .seconds(10_000))
        #expect(second.keys.effectiveValues["count"] == .integer(2))
        try await second.close()
        let third = try await home.open()
        #expect(third.keys.effectiveValues["count"] == .integer(2), "the wall clock has no say any more")
        await isAwaited(home)
        home.clock.advance(by: .seconds(201))
        try await settled(third)
        #expect(third.keys.effectiveValues["count"] == nil)
        try await third.close()
    }

    @Test("A wall clock that jumps does nothing on the same boot", arguments: [-100_000, 100_000])
    func jumps(seconds: Int) async throws {
        let home = try HistoryPlace(.file)
        let first = try await home.open()
        try await first.commit(confirmWithin: Self.length) { try first.keys.setValue(2, forKey: "count") }
        try await first.close()
        home.clock.setWallClock(forwardBy: .seconds(seconds))
        home.clock.advance(by: .seconds(299))
        var store = try await home.open()
        #expect(store.unconfirmed.change?.remaining == .seconds(1))
        try await store.close()
        home.clock.setWallClock(forwardBy: .seconds(-2 * seconds))
        home.clock.advance(by: .seconds(1))
        store = try await home.open()
        #expect(store.keys.effectiveValues["count"] == nil && store.unconfirmed.change == nil)
    }

    @Test("Restarts with a clock that is always set back come to an end") func restartsEnd() async throws {
        let home = try HistoryPlace(.file)
        let first = try await home.open()
        try await first.commit(confirmWithin: Self.length) { try first.keys.setValue(2, forKey: "count") }
        try await first.close()
        for _ in 1...2 {
            home.clock.reboot()
            home.clock.setWallClock(forwardBy: .seconds(-10_000))
            try await home.open().close()
        }
        #expect(try await home.stored() == SettingTree())
    }

    @Test("A second commit joins the first", arguments: HistoryPlace.Kind.allCases)
    func joined(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { $0.count = 1 }
        try await settings.commit(confirmWithin: Self.length) { $0.count = 2 }
        home.clock.advance(by: .seconds(200))
        try await settings.commit(confirmWithin: Self.length) { ($0.count, $0.other) = (3, 3) }
        #expect(store.unconfirmed.change?.keys == ["count", "other"])
        await isAwaited(home)
        home.clock.advance(by: .seconds(299))
        #expect(store.unconfirmed.change?.remaining == .seconds(1) && settings.count == 3)
        home.clock.advance(by: .seconds(1))
        try await settled(store)
        #expect(settings.count == 1 && settings.other == 0)
    }

    @Test("What was written later stays, and the rest goes back", arguments: HistoryPlace.Kind.allCases)
    func writtenLater(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit(confirmWithin: Self.length) { ($0.count, $0.other, $0.name) = (2, 2, "x") }
        settings.other = 7
        try await store.flush()
        try home.edit(["name": .string("by hand")])
        await isAwaited(home)
        home.clock.advance(by: Self.length)
        try await settled(store)
        #expect(settings.count == 0 && settings.other == 7 && settings.name == "by hand")
        // The edit may be told before it or after it.
        let entry = try #require(try await store.entries().first { $0.undone != nil })
        #expect(entry.changes.map(\.key) == ["count"])
    }

    @Test("If nothing is left to take back, only the record goes", arguments: HistoryPlace.Kind.allCases)
    func nothingLeft(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        try await store.commit(confirmWithin: Self.length) { try store.keys.setValue(2, forKey: "count") }
        try await store.commit { try store.keys.setValue(3, forKey: "count") }
        let result = try await store.unconfirmed.revert()
        #expect(result.keys.isEmpty && result.conflicts.map(\.key) == ["count"])
        #expect(try await home.stored() == SettingTree(["count": .integer(3)]) && store.unconfirmed.change == nil)
    }

    @Test("Dictionaries go back key by key") func dictionaries() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        func set(_ a: Int64, _ b: Int64) throws {
            try store.keys.setValue(.dictionary(["a": .integer(a), "b": .integer(b)]), forKey: "plugins")
        }
        try await store.commit { try set(1, 1) }
        try await store.commit(confirmWithin: Self.length) { try set(2, 2) }
        try await store.commit { try store.keys.setValue(9, forKey: "plugins.b") }
        try await store.unconfirmed.revert()
        #expect(store.keys.effectiveValues["plugins"] == .dictionary(["a": .integer(1), "b": .integer(9)]))
    }

    @Test("A key and one within it, written in one commit, go back together") func nested() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        try await store.commit { try store.keys.setValue(.dictionary(["x": .integer(0)]), forKey: "a") }
        let before = try await home.stored()
        try await store.commit(confirmWithin: Self.length) {
            try store.keys.setValue(.dictionary(["b": .integer(1), "c": .integer(1)]), forKey: "a")
            try store.keys.setValue(2, forKey: "a.b")
        }
        try await store.unconfirmed.revert()
        #expect(try await home.stored() == before)
    }

    @Test("What was written before and is not saved yet comes back", arguments: HistoryPlace.Kind.allCases)
    func unsaved(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 5
        try store.keys.setValue(5, forKey: "undeclared")
        try await store.commit(confirmWithin: Self.length) {
            settings.count = 6
            try store.keys.setValue(6, forKey: "undeclared")
        }
        try await store.unconfirmed.revert()
        try await store.flush()
        #expect(settings.count == 5 && store.keys.effectiveValues["undeclared"] == .integer(5))
        #expect(try await home.stored() == SettingTree(["count": .integer(5), "undeclared": .integer(5)]))
    }

    @Test("Removing the record by hand confirms the change") func removedByHand() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        try await store.commit(confirmWithin: Self.length) { try store.keys.setValue(2, forKey: "count") }
        try await store.file.flush()
        try home.edit([UnconfirmedCommit.key: nil])
        _ = try await store.entries()
        #expect(store.unconfirmed.change == nil)
        home.clock.advance(by: Self.length)
        try await store.close()
        #expect(try await home.stored() == SettingTree(["count": .integer(2)]))
    }

    @Test("A commit without a change is not unconfirmed, and a failed closure leaves nothing") func nothingDone()
        async throws
    {
        let home = try HistoryPlace(.memory)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await store.commit(confirmWithin: Self.length) {}
        #expect(store.unconfirmed.change == nil)
        await #expect(throws: TestFailure.self) {
            try await store.commit(confirmWithin: Self.length) {
                settings.count = 1
                throw TestFailure(number: 1)
            }
        }
        #expect(store.unconfirmed.change == nil && settings.count == 0)
        try await store.commit(confirmWithin: .seconds(-1)) { settings.count = 1 }
        try await settled(store)
        #expect(settings.count == 0)
    }

    @Test("An actor's commit is unconfirmed as any other") func actor() async throws {
        let home = try HistoryPlace(.memory)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await commitOnMainActor(settings)
        #expect(store.unconfirmed.change?.keys == ["count"])
        try await store.unconfirmed.revert()
        #expect(settings.count == 0)
    }

    @MainActor private func commitOnMainActor(_ settings: CounterSettings) async throws {
        try await settings.commit(confirmWithin: Self.length) { settings.count = 3 }
    }
}
