import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ClosingTests {
    @Test("Closing saves pending changes, writes a last checkpoint and closes the storage")
    func close() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        try await store.close()
        #expect(recording.batches.map(\.values) == [["count": .integer(1)]])
        #expect(recording.calls.filter(\.isSave).last?.operation == .checkpoint(.closing))
        #expect(recording.calls.last?.operation == .close)
        try await store.close()
        #expect(recording.calls.count { $0.operation == .close } == 1)
    }

    @Test("After closing, assignments change nothing, and every throwing call throws")
    func afterClosing() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        try await store.close()
        settings.count = 2
        settings.list.append(1)
        #expect(settings.count == 1 && settings.list.isEmpty)
        var issues: [SettingsError] = []
        for await issue in store.issues { issues.append(issue) }
        #expect(issues.map(\.code) == [.closed, .closed] && issues.map(\.key) == ["count", "list"])
        let attempts: [() throws -> Void] = [
            { try settings.$count.set(3) }, { try settings.$count.modify { $0 = 3 } }, { try settings.$count.reset() },
            { try settings.update { settings.count = 3 } }, { try store.keys.setValue(3, forKey: "count") },
            { try store.keys.removeValue(forKey: "x") }, { try settings.reset() }, { try store.flushAndWait() },
        ]
        for attempt in attempts { #expect((thrown(by: attempt) as? SettingsError)?.code == .closed) }
        await #expect(throws: SettingsError.self) { try await store.flush() }
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 3 } }
        await #expect(throws: SettingsError.self) { try await store.group(OuterSettings.self, at: "new") }
        #expect(settings.count == 1 && settings.snapshot().count == 1)
    }

    @Test("A close whose save fails leaves the store open with all its changes")
    func failingClose() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let changes = ChangeRecorder(store.changes)
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        settings.count = 1
        await #expect(throws: SettingsError.self) { try await store.close() }
        failing.heal()
        settings.count = 2
        #expect(await changes.until { $0.count == 2 }.count == 2 && !changes.hasEnded)
        try await store.close()
        #expect(recording.batches.map(\.values) == [["count": .integer(2)]])
        await changes.untilEnd()
    }

    @Test("A close returns once the store is closed, even if another close is in progress")
    func twoClosers() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let hold = failing.hold(.checkpoint)
        settings.count = 1
        async let first: Void = store.close()
        await hold.waitUntilReached()
        let second = ChangeRecorder(
            AsyncStream<Int> { continuation in
                Task {
                    try? await store.close()
                    continuation.yield(recording.calls.count { $0.operation == .close })
                    continuation.finish()
                }
            })
        #expect(second.elements.isEmpty)
        hold.release()
        try await first
        #expect(await second.untilEnd() == [1])
    }

    @Test("A store closes without a checkpoint if everything is synced, and reports why")
    func withoutCheckpoint() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let issues = ChangeRecorder(store.issues)
        failing.fail(.checkpoint, with: StorageError(.noSpace, "There is no room."))
        settings.count = 1
        try await store.close()
        #expect(recording.batches.map(\.values) == [["count": .integer(1)]])
        let isSynced = recording.calls.contains { call in
            if case .append(let batch, .synced) = call.operation { batch.values.isEmpty } else { false }
        }
        #expect(isSynced)
        #expect(await issues.untilEnd().contains { $0.description.contains("There is no room.") })
    }
}
