import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// When a store calls its storage, and on which threads.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StorageCallsTests {
    private let gone = StorageError(.unreadable, "The volume has gone.")

    @Test("No checkpoint runs while a commit has the storage locked")
    func checkpointInCommit() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        _ = await recording.batches(atLeast: 1)
        let (gate, owner) = (Gate(), CommittingOwner(settings))
        let commit = Task { try await owner.commit(passing: gate) }
        await gate.waitUntilReached()
        let before = recording.calls.count
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        let calls = await recording.calls { $0.count > before }
        #expect(!calls.contains { $0.operation == .checkpoint(.settled) })
        gate.open()
        try await commit.value
        try await eventually("the changes have settled", advancing: clock, by: .milliseconds(250)) {
            recording.calls.contains { $0.operation == .checkpoint(.settled) }
        }
    }

    @Test("A failed look at external changes is repeated by itself and reported once")
    func lookedAgain() async throws {
        let base = InMemoryStorage()
        let (failing, clock) = (FailingStorage(base), ManualClock())
        let store = try await SettingsStore.open(
            storage: failing, configuration: .init(retryDelay: .seconds(1) ... .seconds(8), clock: clock))
        let settings = try await store.group(CounterSettings.self)
        try await store.flush()
        let issues = ChangeRecorder(store.issues)
        failing.fail(.changes, with: gone)
        base.simulateExternalChange(["count": .integer(5)])
        for wait in [1, 2, 4, 8, 8] {
            let now = clock.now.sinceStart
            await clock.deadlines { $0.contains { $0.sinceStart == now + .seconds(wait) } }
            if wait == 8 { failing.heal() }
            clock.advance(by: .seconds(wait))
            if wait == 8 { break }
        }
        try await eventually("the external change is in force") { settings.count == 5 }
        #expect(issues.elements.map(\.description) == ["The volume has gone."])
    }

    @Test("A storage that signals its return receives failed saves at once")
    func back() async throws {
        let base = InMemoryStorage()
        let (failing, clock) = (FailingStorage(base), ManualClock())
        let recording = RecordingStorage(failing)
        let store = try await SettingsStore.open(
            storage: recording, configuration: .init(retryDelay: .seconds(100) ... .seconds(10_000), clock: clock))
        let settings = try await store.group(CounterSettings.self)
        for operation in [FailingStorage.Operation.append, .checkpoint] { failing.fail(operation, with: gone) }
        failing.fail(.changes, with: StorageError(.unreadable, "Nobody can tell what has changed."))
        settings.count = 1
        for _ in 0..<6 { await #expect(throws: SettingsError.self) { try await store.flush() } }
        let issues = ChangeRecorder(store.issues)
        base.simulateExternalChange(["other": .integer(1)])
        // The storage has been asked for changes, and could not tell.
        _ = await issues.until { $0.contains { $0.description.contains("Nobody can tell") } }
        await clock.deadlines { $0.contains { $0.sinceStart == .seconds(100) } }
        failing.heal()
        base.simulateExternalChange(["other": .integer(2)])
        _ = await recording.batches(atLeast: 1)
        #expect(clock.now.sinceStart == .zero)
        try await eventually("the external change is in force and saved") {
            settings.other == 2 && store.status == .saved
        }
    }
}

/// Commits on its own thread, which may block.
private actor CommittingOwner {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let settings: CounterSettings

    init(_ settings: CounterSettings) {
        self.settings = settings
    }

    func commit(passing gate: Gate) async throws {
        try await settings.commit {
            gate.pass()
            settings.other = 1
        }
    }
}
