import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// A source that knows no key before it is declared.
private final class LookupTable: LookupDomainSource {
    private struct State: Sendable {
        var values: [SettingKey: SettingValue] = [:]
        var keys: [SettingKey: LookupKey] = [:]
        var changed: (@Sendable () -> Void)?
    }

    private let state: LockedValue<State>

    init(_ values: [SettingKey: SettingValue]) {
        state = LockedValue(State(values: values))
    }

    var keys: [SettingKey: LookupKey] { state.withLock { $0.keys } }

    func set(_ value: SettingValue?, forKey key: SettingKey) {
        let changed = state.withLock { state in
            state.values[key] = value
            return state.changed
        }
        changed?()
    }

    func declare(_ keys: [LookupKey]) {
        state.withLock { state in
            for key in keys { state.keys[key.key] = key }
        }
    }

    var contents: DomainContents {
        state.withLock { state in
            var tree = SettingTree()
            for key in state.keys.keys { tree[key] = state.values[key] }
            return DomainContents(tree)
        }
    }

    /// Without keys, so that a test sees where the values come from.
    func load() -> DomainContents { DomainContents() }

    func watch(_ changed: @escaping @Sendable () -> Void) { state.withLock { $0.changed = changed } }

    func place(of key: SettingKey) -> String { "the table's “\(key)”" }
}

private struct OwnGroup: SettingsGroup {
    static let access = SettingsAccess.owner

    @Setting var counter = 0
}

private struct Account: SettingsGroup {
    @Setting var token = Secret("none")
    @Setting var level = "low"
}

private struct OtherAccount: SettingsGroup {
    @Setting var level = 1
}

@Suite(.timeLimit(.minutes(10))) struct LookupDomainSourceTests {
    private func open(_ table: LookupTable) async throws -> SettingsStore {
        try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.source("table", table), .application, .registration])
    }

    @Test("A setting has the value of a lookup as soon as its group is open") func firstValue() async throws {
        let table = LookupTable(["count": .integer(7), "inner.level": .real(0.25), "other": .integer(1)])
        let store = try await open(table)
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.count == 7)
        #expect(settings.inner.level == 0.25)
        #expect(settings.name == "default")
        #expect(store.keys["other"] == nil)
        #expect(settings.$count.domains.explanation?.domain == "table")
        try await store.close()
    }

    @Test("A source gets each setting's key with its shape and secrecy") func shapes() async throws {
        let table = LookupTable([:])
        let store = try await open(table)
        _ = try await store.group(LayeredGroup.self)
        #expect(
            table.keys == [
                "count": LookupKey("count", of: Int.self), "name": LookupKey("name", of: String.self),
                "isOn": LookupKey("isOn", of: Bool.self), "list": LookupKey("list", of: [Int].self),
                "token": LookupKey("token", of: Secret<String>.self),
                "inner.level": LookupKey("inner.level", of: Double.self),
            ])
        #expect(table.keys["token"]?.isSecret == true)
        #expect(table.keys["list"]?.shape.element?.kind == .integer)
        try await store.close()
    }

    @Test("A group that is opened later, and a changed value, are looked up too") func later() async throws {
        let table = LookupTable(["count": .integer(7)])
        let store = try await open(table)
        let settings = try await store.group(LayeredGroup.self)
        table.set(.integer(8), forKey: "count")
        try await eventually("the changed value is in force") { settings.count == 8 }
        table.set(.real(2), forKey: "second.level")
        let second = try await store.group(InnerLayeredGroup.self, at: "second")
        #expect(second.level == 2)
        #expect(settings.count == 8)
        table.set(nil, forKey: "count")
        try await eventually("the default is in force") { settings.count == 1 }
        try await store.close()
    }

    @Test("Opening an open group again reports no change") func again() async throws {
        let table = LookupTable(["count": .integer(7)])
        let store = try await open(table)
        _ = try await store.group(LayeredGroup.self)
        func mark() -> MutationLog.ContentMark { store.log.lock.withLock { store.log.contentMark(of: store.log.root) } }
        let before = mark()
        let settings = try await store.group(LayeredGroup.self)
        #expect(mark() == before)
        table.set(.integer(8), forKey: "count")
        _ = try await store.group(LayeredGroup.self)
        #expect(settings.count == 8)
        #expect(mark() != before)
        try await store.close()
    }

    @Test("A registered key is looked up like a declared one") func registered() async throws {
        let table = LookupTable(["plugin.port": .integer(7)])
        let store = try await open(table)
        try store.domains.register(["plugin.port": 80])
        #expect(try store.keys.value(forKey: "plugin.port", as: Int.self) == 7)
        #expect(table.keys["plugin.port"]?.shape.kind == .integer)
        try await store.close()
    }

    private func expectHidden(_ key: SettingKey, in store: SettingsStore) {
        #expect(store.keys[key] == .string("hunter2"))
        #expect(store.keys.isSecret(key))
        #expect(store.keys.effectiveValues[key] == nil)
        #expect(store.domains["table"].values[key] == nil)
    }

    @Test("A secret stays hidden although its group can't be opened") func secretOfRefusedGroup() async throws {
        let table = LookupTable(["account.token": .string("hunter2"), "count": .integer(7)])
        let store = try await open(table)
        _ = try await store.group(OtherAccount.self, at: "account")
        await #expect(throws: SettingsError.self) { try await store.group(Account.self, at: "account") }
        #expect(table.keys["account.token"]?.isSecret == true)
        // Its lookups take over all values of the table.
        _ = try await store.group(LayeredGroup.self)
        expectHidden("account.token", in: store)
        #expect(store.keys.effectiveValues["count"] == .integer(7))
        try await store.close()
    }

    @Test("A secret stays hidden after the release of its group") func secretOfReleasedGroup() async throws {
        let table = LookupTable(["account.token": .string("hunter2"), "account.level": .string("high")])
        let store = try await open(table)
        _ = try await store.group(Account.self, at: "account")
        try await store.release(at: "account")
        expectHidden("account.token", in: store)
        #expect(store.keys.effectiveValues["account.level"] == .string("high"))
        try await store.close()
    }

    @Test("An owner-only setting is never looked up") func ownerOnly() async throws {
        let table = LookupTable(["counter": .integer(7)])
        let store = try await open(table)
        let settings = try await store.group(OwnGroup.self)
        #expect(settings.counter == 0)
        #expect(table.keys.isEmpty)
        try await store.close()
    }
}
