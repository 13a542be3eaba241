import Foundation
import Settle
import SettleTesting
import Testing

/// Writing over a stored value that can't be used.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnusableValueTests {
    struct Limits: SettingsGroup {
        @Setting(in: 0...20) var a = 3
        @Setting var list = ["x"]
    }

    /// The ways to write the value that is in force already.
    enum Way: CaseIterable, CustomTestStringConvertible {
        case assignment, inPlace, update, set, commit, byKey, draft, draftCommit, imported, reset, draftReset

        var testDescription: String { "\(self)" }

        var removes: Bool { self == .reset || self == .draftReset }

        func write(_ settings: Limits, in store: SettingsStore) async throws {
            let (a, list) = (settings.a, settings.list)
            switch self {
            case .assignment: (settings.a, settings.list) = (a, list)
            case .inPlace:
                settings.a += 0
                settings.list += []
            case .update: try settings.update { (settings.a, settings.list) = (a, list) }
            case .set:
                try settings.$a.set(a)
                try settings.$list.set(list)
            case .commit: try await settings.commit { (settings.a, settings.list) = (a, list) }
            case .byKey:
                try store.keys.setValue(a, forKey: "a")
                try store.keys.setValue(list, forKey: "list")
            case .draft, .draftCommit:
                let draft = settings.draft()
                (draft.a, draft.list) = (a, list)
                #expect(draft.isDirty && draft.touchedKeys == ["a", "list"])
                if self == .draft { try draft.apply() } else { try await draft.commit() }
                #expect(!draft.isDirty)
            case .imported:
                let list = list.map { "\"\($0)\"" }.joined()
                try store.file.import(Data(#"{"a": \#(a), "list": [\#(list)]}"#.utf8))
            case .reset: try store.reset()
            case .draftReset:
                let draft = settings.draft()
                try draft.$a.reset()
                try draft.$list.reset()
                #expect(draft.isDirty)
                try draft.apply()
            }
        }
    }

    private let unusable = SettingTree(["a": .integer(99), "list": .string("no list")])

    @Test("Writing the default over it stores the default", arguments: Way.allCases)
    func byDefault(_ way: Way) async throws {
        let storage = InMemoryStorage(unusable)
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(Limits.self)
        let events = ChangeRecorder(settings.changes)
        try await way.write(settings, in: store)
        try await store.flush()
        #expect(storage.tree["a"] == (way.removes ? nil : .integer(3)))
        #expect(storage.tree["list"] == (way.removes ? nil : .array([.string("x")])))
        #expect(settings.$a.isDefault == way.removes)
        #expect(store.keys.setting(forKey: "a")?.problem == nil)
        // From now on, an equal value is no change.
        let revision = store.revision
        if !way.removes { try settings.update { (settings.a, settings.list) = (3, ["x"]) } }
        #expect(store.revision == revision)
        settings.a = 4
        let seen = await events.until { !$0.isEmpty }
        #expect(seen.map { $0.mutations.map(\.key) } == [["a"]], "what is in force has not changed before")
        try await store.close()
    }

    @Test("Writing the last good value over it stores that", arguments: Way.allCases)
    func byLastGood(_ way: Way) async throws {
        let storage = InMemoryStorage(SettingTree(["a": .integer(14), "list": .array([.string("y")])]))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(Limits.self)
        let issues = ChangeRecorder(store.issues)
        storage.simulateExternalChange(["a": .integer(99), "list": .string("no list")])
        _ = await issues.until { $0.count == 2 }
        #expect(settings.a == 14 && settings.list == ["y"])
        try await way.write(settings, in: store)
        try await store.flush()
        #expect(storage.tree["a"] == (way.removes ? nil : .integer(14)))
        #expect(storage.tree["list"] == (way.removes ? nil : .array([.string("y")])))
        #expect(settings.a == (way.removes ? 3 : 14))
        try await store.close()
    }

    @Test("Once a usable value is stored, writing it again is no change")
    func usableAgain() async throws {
        let storage = InMemoryStorage(unusable)
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(Limits.self)
        let values = ChangeRecorder(settings.$list)
        storage.simulateExternalChange(["a": .integer(3), "list": .array([.string("z")])])
        _ = await values.until { $0.last == ["z"] }
        let revision = store.revision
        (settings.a, settings.list) = (3, ["z"])
        #expect(store.revision == revision)
        try await store.close()
    }

    @Test("A value of a domain above does not count as a write over it")
    func covered() async throws {
        let storage = InMemoryStorage(unusable)
        let store = try await SettingsStore.open(storage: storage, searching: [.overrides, .application])
        let settings = try await store.group(Limits.self)
        let override = try store.domains.override(settings.$a, with: 5)
        #expect(settings.a == 5)
        override.cancel()
        #expect(settings.a == 3)
        try await store.flush()
        #expect(storage.tree["a"] == .integer(99))
        settings.a = 3
        try await store.flush()
        #expect(storage.tree["a"] == .integer(3))
        try await store.close()
    }

    @Test("The history tells the unusable value")
    func history() async throws {
        let storage = InMemoryStorage(unusable)
        let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
        let settings = try await store.group(Limits.self)
        try await settings.commit { settings.a = 3 }
        #expect(try await store.told() == ["a: 99 → 3"])
        try await store.close()
    }

    @Test("After an undo that was refused, an equal value is no change, as before")
    func refusedUndo() async throws {
        let storage = InMemoryStorage(unusable)
        let store = try await SettingsStore.open(storage: storage, configuration: .init(history: .keep()))
        let settings = try await store.group(Limits.self)
        try await settings.commit { settings.a = 4 }
        let token = try #require(store.history.token)
        try await settings.commit { try settings.$a.reset() }
        let error = await #expect(throws: SettingsError.self) { try await store.history.undo(token, force: true) }
        #expect(error?.key == "a")
        let revision = store.revision
        try settings.$a.reset()
        try settings.$a.set(3)
        try await store.flush()
        #expect(store.revision == revision && storage.tree["a"] == nil)
        try await store.close()
    }
}
