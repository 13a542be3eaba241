import Foundation
import Settle
import SettleTesting
import Testing

/// The samples of *Testing*.
extension GuideSamplesTests {
    @Test("An in-memory storage provides stored values and external changes") func inMemoryStorage() async throws {
        let storage = InMemoryStorage(SettingTree(["passcode": .dictionary(["attemptCount": .integer(19)])]))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(AppSettings.self)
        #expect(settings.passcode.attemptCount == 19)
        let recorder = ChangeRecorder(settings.changes)
        storage.simulateExternalChange(SettingTree(["applicationVersion": .string("2.0")]))
        let change = await recorder.next()
        #expect(change?.origin == .external)
        #expect(settings.applicationVersion == "2.0")
    }

    @Test("A recorder waits for the next change") func recorder() async throws {
        let settings = AppSettings()
        let recorder = ChangeRecorder(settings.changes)
        settings.passcode.attemptCount += 1
        let change = await recorder.next()
        #expect(change?.mutations.map(\.key) == ["passcode.attemptCount"])
    }

    @Test("A manual clock decides when a checkpoint is due") func manualClock() async throws {
        let clock = ManualClock()
        let storage = RecordingStorage()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        let settings = try await store.group(AppSettings.self)

        settings.passcode.attemptCount += 1
        #expect(await storage.batches(atLeast: 1).map(\.values) == [["passcode.attemptCount": .integer(1)]])
        await clock.sleepers(atLeast: 1)
        #expect(store.status.oldestUnsavedChange != nil)
        clock.advance(by: .seconds(2))
        _ = await storage.calls { $0.contains(StorageCall(.checkpoint(.settled))) }
    }

    @Test("A commit that can't be stored is undone, and one whose answer is lost stands")
    func failingStorage() async throws {
        let base = InMemoryStorage()
        let storage = FailingStorage(base)
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(AppSettings.self)

        storage.fail(.append, with: StorageError(.noSpace, "There is no room."))
        await #expect(throws: SettingsError.self) {
            try await settings.commit { settings.passcode.attemptCount = 1 }
        }
        #expect(settings.passcode.attemptCount == 0)
        storage.heal()
        try await store.flush()
        #expect(base.tree["passcode.attemptCount"] == nil)

        let lost = StorageError(.unavailable, "The connection was lost.", isOutcomeUnknown: true)
        storage.fail(.append, with: lost, moment: .after)
        await #expect(throws: SettingsError.self) {
            try await settings.commit { settings.passcode.attemptCount = 2 }
        }
        #expect(settings.passcode.attemptCount == 2)
        storage.heal()
        try await store.flush()
        #expect(base.tree["passcode.attemptCount"] == .integer(2))
    }

    @Test("A store opens in a temporary folder") func temporaryFolder() async throws {
        try await withTemporaryFolder { folder in
            let store = try await SettingsStore.open(at: folder.appending(path: "settings.json"))
            try await store.close()
        }
    }

    @Test("Committed values survive every crash") func crashes() async throws {
        try await forEachCrashPoint(acknowledging: Int.self) { run in
            let store = try await run.openStore()
            let settings = try await store.group(AppSettings.self)
            for _ in 0..<2 {
                try await settings.commit { settings.passcode.attemptCount += 1 }
                run.acknowledge(settings.passcode.attemptCount)
            }
        } check: { recovered in
            let settings = try await recovered.store.group(AppSettings.self)
            #expect(settings.passcode.attemptCount >= recovered.acknowledged.last ?? 0, "\(recovered)")
        }
    }

    @Test("Committed values in two files survive every crash") func crashesOfTwoFiles() async throws {
        try await forEachCrashPoint(acknowledging: Int.self) { run in
            let settings = try await run.openStore().group(AppSettings.self)
            let copy = try await run.openStore(named: "second/copy.json").group(AppSettings.self)
            try await settings.commit { settings.passcode.attemptCount += 1 }
            try await copy.commit { copy.passcode.attemptCount += 1 }
            run.acknowledge(copy.passcode.attemptCount)
        } check: { recovered in
            let settings = try await recovered.store.group(AppSettings.self)
            let copy = try await recovered.store(named: "second/copy.json").group(AppSettings.self)
            let count = recovered.acknowledged.last ?? 0
            #expect(min(settings.passcode.attemptCount, copy.passcode.attemptCount) >= count, "\(recovered)")
        }
    }

    @Test func conformance() async throws {
        try await withTemporaryFolder { folder in
            let open = { (number: Int) in
                FileStorage(at: folder.appending(path: "\(number).plist"), format: .propertyListBinary)
            }
            try await StorageConformance.check(makeStorage: { open($0) }, reopen: { number, _ in open(number) })
        }
    }
}
