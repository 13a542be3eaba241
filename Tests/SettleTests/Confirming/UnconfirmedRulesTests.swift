import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// What must not be in an unconfirmed commit, what the record is to others, and values that break their rules by then.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnconfirmedRulesTests {
    private static let length = Duration.seconds(300)

    private struct Limits: SettingsGroup {
        @Setting(in: 0...20) var port = 0
        @Setting var host = ""
    }

    @Test("A secret is refused with its key and the rule, and nothing has changed") func secrets() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        let settings = try await store.group(PartlyHiddenSettings.self)
        try await settings.commit { $0.token = Secret("hush-1") }
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit(confirmWithin: Self.length) {
                $0.token = Secret("hush-2")
                $0.inner.count = 5
            }
        }
        #expect(error?.code == .notUndoable && error?.key == "token" && error?.rule == "no secret")
        #expect(error.map { "\($0)".contains("“token”") && !"\($0)".contains("hush") } == true)
        #expect(settings.token?.revealed == "hush-1" && settings.inner.count == 0 && store.unconfirmed.change == nil)
        // A key around or within one that the caller knows to be a secret.
        for key in ["cloud", "cloud.key", "cloud.key.part"] {
            await #expect(throws: SettingsError.self) {
                try await store.commit(author: nil, confirmWithin: Self.length, secrets: ["cloud.key"]) {
                    try store.keys.setValue("hush-3", forKey: SettingKey(stored: key))
                }
            }
        }
        try await store.commit(confirmWithin: Self.length) { settings.inner.count = 1 }
        try await store.file.flush()
        #expect(try home.files(with: "hush-2") == [] && home.files(with: "hush-3") == [])
        try await store.close()
    }

    @Test("A value that turns out to be a secret later is in no history") func declaredLater() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        try await store.commit { try store.keys.setValue("hush-1", forKey: "token") }
        try await store.commit(confirmWithin: Self.length) { try store.keys.setValue("hush-2", forKey: "token") }
        _ = try await store.group(PartlyHiddenSettings.self)
        try await store.unconfirmed.confirm()
        try await store.flush()
        #expect(try await store.entries().allSatisfy { $0.changes.allSatisfy(\.isSecret) })
        #expect(try !home.files(with: "hush-1").contains(JournalParts.past))
    }

    @Test("What is its owner's is refused") func owners() async throws {
        let home = try HistoryPlace(.memory)
        let store = try await home.open()
        let settings = try await store.group(PartlyHiddenSettings.self)
        let error = await #expect(throws: SettingsError.self) {
            try await settings.owned.commit(confirmWithin: Self.length) { $0.attempts = 1 }
        }
        #expect(error?.code == .notUndoable && error?.key == "owned.attempts")
        #expect(settings.owned.attempts == 0)
    }

    @Test("A value that breaks its rule by then stays and is reported; the rest goes back, and saving goes on")
    func brokenRule() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        let issues = ChangeRecorder(store.issues)
        try await store.commit {
            try store.keys.setValue(50, forKey: "port")
            try store.keys.setValue("old", forKey: "host")
        }
        try await store.commit(confirmWithin: Self.length) {
            try store.keys.setValue(5, forKey: "port")
            try store.keys.setValue("new", forKey: "host")
        }
        let limits = try await store.group(Limits.self)
        // By hand it is an error, and nothing has changed.
        let error = await #expect(throws: SettingsError.self) { try await store.unconfirmed.revert() }
        #expect(error?.key == "port" && limits.port == 5 && limits.host == "new" && store.unconfirmed.change != nil)
        await home.clock.sleepers(atLeast: 1)
        home.clock.advance(by: Self.length)
        let issue = try #require(await issues.next())
        #expect(issue.code == .notUndoable && issue.key == "port" && "\(issue)".contains("0...20"))
        try await eventually("nothing is unconfirmed") { store.unconfirmed.change == nil }
        #expect(limits.port == 5 && limits.host == "old")
        try await limits.commit { $0.port = 6 }
        #expect(try await home.stored() == SettingTree(["port": .integer(6), "host": .string("old")]))
        try await store.close()
    }

    @Test("The record is no setting: no list, export, schema or reading by key has it, and no key can be its")
    func noSetting() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        try await store.commit(author: "alice", confirmWithin: Self.length) {
            try store.keys.setValue(2, forKey: "port")
        }
        #expect(store.keys.effectiveValues == SettingTree(["port": .integer(2)]))
        #expect(String(decoding: try await store.file.export(as: .json), as: UTF8.self).contains("settle") == false)
        #expect(try await store.history.values(at: try store.newest()) == SettingTree(["port": .integer(2)]))
        let error = #expect(throws: SettingsError.self) {
            try store.keys.setValue(1, forKey: "$settle.unconfirmed")
        }
        #expect(error?.code == .invalidKey)
        #expect(try await store.entries().map { $0.changes.map(\.key) } == [["port"]])
        try await store.file.flush()
        #expect(try !home.files(with: "\"unconfirmed\"").isEmpty)
        // An import or a removal of everything leaves it.
        try store.file.import(SettingTree(["host": .string("x")]), .replace, unknownKeys: .keep)
        try await store.flush()
        #expect(store.unconfirmed.change?.keys == ["port"])
        try await store.close()
        // A program that knows nothing of it keeps it, too.
        let later = try await home.open()
        try await later.commit { try later.keys.setValue(1, forKey: "other") }
        try await later.close()
        #expect(try await home.stored()[UnconfirmedCommit.key] != nil)
    }

    @Test("What only reads shows it and takes nothing back") func reading() async throws {
        let fixture = try FileStorageFixture()
        let clock = ManualClock()
        let configuration = SettingsStore.Configuration(clock: clock)
        let store = try await SettingsStore.open(storage: fixture.storage(), configuration: configuration)
        try await store.commit(confirmWithin: Self.length) { try store.keys.setValue(2, forKey: "port") }
        try await store.close()
        clock.advance(by: Self.length)
        let before = try fixture.names().map { try Data(contentsOf: fixture.folder.appending(path: $0)) }
        let reader = try await SettingsStore.open(
            storage: FileStorage(reading: fixture.file, isFollowed: false), configuration: configuration)
        #expect(reader.unconfirmed.change?.remaining == .zero && reader.keys.effectiveValues["port"] == .integer(2))
        clock.advance(by: .seconds(100))
        _ = try? await reader.entries()
        #expect(await reader.core.persister.machine.reversion == .idle, "it has not even tried")
        // Closing has nothing to save, and so nothing to report.
        try await reader.close()
        #expect(try fixture.names().map { try Data(contentsOf: fixture.folder.appending(path: $0)) } == before)
    }

    @Test("A record that can't be read is reported and stays, and so does the change") func unreadable() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        let issues = ChangeRecorder(store.issues)
        try await store.commit(confirmWithin: Self.length) { try store.keys.setValue(2, forKey: "port") }
        try await store.file.flush()
        try home.edit([UnconfirmedCommit.key: .string("later")])
        _ = try await store.entries()
        let issue = await issues.next()
        #expect(issue?.code == .unusableValue && issue?.key == "$settle.unconfirmed")
        home.clock.advance(by: Self.length)
        for store in [store, try await home.open()] {
            #expect(store.unconfirmed.change == nil && store.unconfirmed.problem?.code == .unusableValue)
            let ends = [
                await #expect(throws: SettingsError.self) { try await store.unconfirmed.confirm() },
                await #expect(throws: SettingsError.self) { _ = try await store.unconfirmed.revert() },
                await #expect(throws: SettingsError.self) {
                    try await store.commit(confirmWithin: Self.length) { try store.keys.setValue(3, forKey: "port") }
                },
            ]
            #expect(ends.map(\.?.code) == [.unusableValue, .unusableValue, .unusableValue])
            try await store.commit { try store.keys.setValue(4, forKey: "other") }
            try await store.close()
        }
        let stored = try await home.stored()
        #expect(stored["port"] == .integer(2) && stored[UnconfirmedCommit.key] == .string("later"))
    }

    @Test("Without a kept history it is taken back all the same") func withoutHistory() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open(.none)
        try await store.commit(confirmWithin: Self.length) { try store.keys.setValue(2, forKey: "port") }
        let result = try await store.unconfirmed.revert()
        #expect(result.undone == nil && result.keys == ["port"])
        #expect(try await home.stored() == SettingTree())
    }

    @Test("A forgotten key leaves no old value of the record in the history") func forgotten() async throws {
        let home = try HistoryPlace(.file)
        let store = try await home.open()
        try await store.commit { try store.keys.setValue("diary-1", forKey: "note") }
        try await store.commit(confirmWithin: Self.length) { try store.keys.setValue("diary-2", forKey: "note") }
        try await store.unconfirmed.confirm()
        try await store.commit { try store.keys.setValue("x", forKey: "note") }
        try await store.history.forget("note")
        #expect(try !home.files(with: "diary").contains(JournalParts.past))
    }

    @Test("A migration after the commit is no migration of the record's, and keeps it") func migrated() async throws {
        let home = try HistoryPlace(.file)
        let first = try await home.open()
        try await first.commit(confirmWithin: Self.length) { try first.keys.setValue(2, forKey: "port") }
        #expect(try await first.entries().first?.origin == .local)
        try await first.close()
        let second = try await home.open(migrations: [SettingsMigration("a step") { $0["added"] = .integer(1) }])
        #expect(second.unconfirmed.change?.keys == ["port"])
        try await second.unconfirmed.revert()
        #expect(second.keys.effectiveValues == SettingTree(["added": .integer(1)]))
        #expect(try await second.entries().map(\.origin) == [.reset, .migration, .local])
        try await second.close()
        #expect(try await home.stored()["$settle.migrations"] == .array([.string("a step")]))
    }

    // MARK: When

    @Test("The persister takes back when it is due, once at a time, and again after a failure") func machine() {
        var machine = PersisterStateMachine(retryDelay: .seconds(1) ... .seconds(4))
        let nothing = WaitingChanges()
        func next(_ now: Int, due: Int? = 10) -> PersisterStateMachine.Action {
            machine.next(nothing, unconfirmed: due.map { .seconds($0) }, now: .seconds(now))
        }
        #expect(next(0, due: nil) == .wait(until: nil))
        #expect(next(0) == .wait(until: .seconds(10)))
        #expect(next(10) == .revert)
        machine.reversionBegan()
        #expect(next(11) == .wait(until: nil))
        let isFirst = machine.reversionEnded(hasFailed: true, now: .seconds(11))
        #expect(next(11) == .wait(until: .seconds(12)) && next(12) == .revert)
        machine.reversionBegan()
        let isSecond = machine.reversionEnded(hasFailed: true, now: .seconds(12))
        #expect(isFirst && !isSecond)
        #expect(next(12) == .wait(until: .seconds(14)))
        // A later deadline, by another commit, is later than the retry.
        #expect(next(14, due: 20) == .wait(until: .seconds(20)) && next(14, due: nil) == .wait(until: nil))
        machine.reversionBegan()
        machine.reversionEnded(hasFailed: false, now: .seconds(14))
        #expect(machine.reversion == .idle)
        machine.close()
        #expect(next(99) == .wait(until: nil))
    }
}
