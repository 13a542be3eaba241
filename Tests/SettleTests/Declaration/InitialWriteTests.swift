import Settle
import SettleTesting
import Testing

private struct Machine: SettingsGroup {
    @Setting(default: { 4 + 4 }) var workers: Int
    @Setting var idleWorkers = 0
    @Setting(in: 0...10) var retries = 3
    @Setting var name = "unnamed"

    init() {
        idleWorkers = workers / 2
        name = "machine"
    }
}

private struct Impossible: SettingsGroup {
    @Setting(in: 0...10) var retries = 3
    init() { retries = 11 }
}

private struct Corrected: SettingsGroup {
    @Setting(in: 5...9) var size = 0
    init() { size = 6 }
}

/// Defaults written by a group's initializer.
@Suite(.timeLimit(.minutes(10))) struct InitialWriteTests {
    @Test("Values written in the initializer are defaults: not stored, not published, restored by a reset")
    func defaults() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(Machine.self)
        #expect(settings.workers == 8 && settings.idleWorkers == 4 && settings.name == "machine")
        #expect(settings.$idleWorkers.isDefault && settings.$idleWorkers.defaultValue == 4 && store.revision == 0)
        #expect(store.keys.setting(forKey: "name")?.defaultValue == .string("machine"))
        settings.idleWorkers = 7
        settings.name = "other"
        try settings.reset()
        #expect(settings.idleWorkers == 4 && settings.name == "machine")
        try await store.flush()
        #expect(storage.tree == SettingTree())
        #expect(try await store.group(Machine.self).idleWorkers == 4)
    }

    @Test("A stored value wins over a written default")
    func stored() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(SettingTree(["idleWorkers": .integer(1)])))
        let settings = try await store.group(Machine.self)
        #expect(settings.idleWorkers == 1 && settings.$idleWorkers.defaultValue == 4)
    }

    @Test("A written default that breaks its rule is rejected, and the declared default stays")
    func refused() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        #expect(try await store.group(Impossible.self).retries == 3)
    }

    @Test("A written default replaces a declared default that breaks its rule")
    func corrected() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Corrected.self)
        #expect(settings.size == 6 && settings.$size.isDefault)
    }
}
