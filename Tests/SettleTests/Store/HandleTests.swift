import Foundation
import Settle
import SettleTesting
import Testing

/// Handles of one store.
@Suite(.timeLimit(.minutes(10))) struct HandleTests {
    @Test("Closing one handle leaves the other handles, groups and streams open; closing the last ends them")
    func closingOne() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        let first = try await SettingsStore.open(at: file)
        let settings = try await first.group(CounterSettings.self)
        let second = try await SettingsStore.open(at: file)
        #expect(first == second && first !== second)
        let changes = ChangeRecorder(settings.changes)
        settings.count = 1
        try await first.close()
        try await first.close()
        await #expect(throws: SettingsError.self) { try await first.flush() }
        #expect(throws: SettingsError.self) { try first.update { settings.count = 9 } }
        try settings.$count.set(2)
        #expect(try await second.group(CounterSettings.self).count == 2)
        try await second.close()
        #expect(throws: SettingsError.self) { try settings.$count.set(3) }
        await changes.untilEnd()
        #expect(changes.elements.count == 2)
    }

    @Test("A handle released without a close closes nothing")
    func lettingGo() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        let settings = try await SettingsStore.open(at: file).group(CounterSettings.self)
        try settings.$count.set(1)
        let again = try await SettingsStore.open(at: file)
        try settings.$count.set(2)
        #expect(try await again.group(CounterSettings.self).count == 2)
        try await again.close()
        #expect(throws: SettingsError.self) { try settings.$count.set(3) }
    }

    @Test("A close that fails leaves the handle open")
    func failingClose() async throws {
        let failing = FailingStorage()
        let store = try await SettingsStore.open(storage: failing)
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        failing.fail(.checkpoint, with: StorageError(.noSpace, "There is no room."))
        await #expect(throws: SettingsError.self) { try await store.close() }
        try settings.$count.set(2)
        failing.heal()
        try await store.close()
        #expect(throws: SettingsError.self) { try settings.$count.set(3) }
    }
}
