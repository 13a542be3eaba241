import Settle
import SettleTesting
import Testing

/// Commits whose values others replace after an append has failed, and before the next one.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ContestedCommitTests {
    private let base: InMemoryStorage
    private let failing: FailingStorage

    init() {
        base = InMemoryStorage(SettingTree(["other": .integer(1)]))
        failing = FailingStorage(base)
    }

    /// Opens a store that holds a value whose append has failed.
    private func open(
        _ storage: any Storage, failingWith error: StorageError
    ) async throws -> (store: SettingsStore, settings: CounterSettings) {
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.append, with: error)
        settings.count = 1
        await #expect(throws: SettingsError.self) { try await store.flush() }
        failing.heal()
        return (store, settings)
    }

    @Test(
        "A commit over a value whose save failed runs again if others store the key before its append",
        arguments: [false, true])
    func runsAgain(isOutcomeUnknown: Bool) async throws {
        let error = StorageError(.unavailable, "There is no connection.", isOutcomeUnknown: isOutcomeUnknown)
        let (store, settings) = try await open(UnlockedHistory(base: failing), failingWith: error)
        let runs = LockedValue<[Int]>([])
        try await settings.commit {
            // The news comes after the closure has run, and before the round's append.
            if runs.withLock({ $0.isEmpty }) { base.simulateExternalChange(["count": .integer(7)]) }
            runs.withLock { $0.append(settings.count) }
            settings.count += 10
        }
        #expect(runs.withLock { $0 } == [1, 7])
        #expect(settings.count == 17 && base.tree["count"] == .integer(17))
        try await store.close()
    }

    @Test("So it does although it has a lock, if others do not keep to it")
    func brokenLock() async throws {
        let (store, settings) = try await open(failing, failingWith: StorageError(.noSpace, "There is no room."))
        let runs = LockedValue(0)
        try await settings.commit {
            if runs.withLock({ $0 }) == 0 { base.simulateExternalChange(["count": .integer(7)]) }
            runs.withLock { $0 += 1 }
            settings.count += 10
        }
        #expect(runs.withLock { $0 } == 2 && settings.count == 17 && base.tree["count"] == .integer(17))
        try await store.close()
    }

    @Test("Without a lock, the first save after a failed one finds that others have been there since")
    func firstSave() async throws {
        let store = try await SettingsStore.open(
            storage: SilentStorage(failing), configuration: .init(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        failing.fail(
            .append, with: StorageError(.unavailable, "There is no connection.", isOutcomeUnknown: true))
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 1 } }
        settings.name = "kept"
        #expect(settings.count == 1)
        base.simulateExternalChange(["other": .integer(7)])
        failing.heal()
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .superseded && error?.key == "count")
        #expect(settings.count == 0 && settings.other == 7)
        #expect(base.tree == SettingTree(["other": .integer(7), "name": .string("kept")]))
        try await store.close()
    }

    @Test("A commit runs again if others store its key, and another value whose save failed stays")
    func others() async throws {
        let error = StorageError(.unavailable, "There is no connection.")
        let (store, settings) = try await open(UnlockedHistory(base: failing), failingWith: error)
        let runs = LockedValue(0)
        try await settings.commit {
            if runs.withLock({ $0 == 0 }) { base.simulateExternalChange(["other": .integer(7)]) }
            runs.withLock { $0 += 1 }
            settings.other += 10
        }
        #expect(runs.withLock { $0 } == 2)
        #expect(settings.other == 17 && base.tree["other"] == .integer(17) && base.tree["count"] == .integer(1))
        try await store.close()
    }
}

/// A storage that can't be locked, and that does not tell what others do.
private final class SilentStorage: StorageWrapper {
    let base: any Storage

    init(_ base: any Storage) { self.base = base }

    func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }

    func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {}
}
