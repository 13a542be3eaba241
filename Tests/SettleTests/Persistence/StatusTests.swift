import Settle
import SettleTestSupport
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StatusTests {
    private let noSpace = StorageError(.noSpace, "There is no room.")

    private func failure(of store: SettingsStore) -> (since: Date, error: any Error)? {
        guard case .failing(let since, let error, _) = store.status else { return nil }
        return (since, error)
    }

    private func word(_ status: SettingsStore.Status) -> String {
        switch status {
        case .saved: "saved"
        case .fileBehind: "behind"
        case .pending: "pending"
        case .saving: "saving"
        case .failing: "failing"
        }
    }

    /// Waits until that many calls have failed.
    private func failed(_ recording: RecordingStorage, atLeast count: Int) async {
        _ = await recording.calls { $0.count { $0.error != nil } >= count }
    }

    @Test("The status goes from saved to pending, saving and back to saved")
    func success() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        #expect(word(store.status) == "saved")
        settings.count = 1
        _ = await recording.batches(atLeast: 1)
        #expect(word(store.status) == "pending")
        let hold = failing.hold(.append)
        async let flush: Void = store.flush()
        await hold.waitUntilReached()
        #expect(word(store.status) == "saving")
        settings.count = 2
        #expect(word(store.status) == "saving")
        hold.release()
        try await flush
        #expect(word(store.status) == "pending")
        try await store.flush()
        #expect(word(store.status) == "saved")
    }

    @Test("A failed save is retried with back-off, and the status says since when it fails")
    func backOff() async throws {
        let (store, clock, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.append, with: noSpace)
        settings.count = 1
        await failed(recording, atLeast: 1)
        // The waits are 1, 2, 4, 8 and 8 seconds.
        var failures = 1
        var since: Date?
        for wait in [1, 2, 4, 8, 8] {
            let now = clock.now.sinceStart
            await clock.deadlines { $0.contains { $0.sinceStart == now + .seconds(wait) } }
            let status = try #require(failure(of: store))
            #expect((status.error as? SettingsError)?.underlying as? StorageError == noSpace)
            #expect(since == nil || since == status.since)
            since = status.since
            clock.advance(by: .seconds(wait) - .milliseconds(1))
            #expect(recording.calls.count { $0.error != nil } == failures)
            settings.count += 1
            clock.advance(by: .milliseconds(1))
            failures += 1
            await failed(recording, atLeast: failures)
        }
        settings.name = "later"
        failing.heal()
        let now = clock.now.sinceStart
        await clock.deadlines { $0.contains { $0.sinceStart == now + .seconds(8) } }
        clock.advance(by: .seconds(8))
        let batches = await recording.batches(atLeast: 1)
        #expect(batches.map(\.values) == [["count": .integer(6), "name": .string("later")]])
        try await store.flush()
        #expect("\(store.status)" == "saved")
    }

    @Test("The status says that the readable file can't be written, although the journal has everything")
    func behind() async throws {
        let (store, clock, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.checkpoint, with: noSpace)
        settings.count = 1
        _ = await recording.batches(atLeast: 1)
        await clock.deadlines { $0.contains { $0.sinceStart == .milliseconds(250) } }
        clock.advance(by: .milliseconds(251))
        await failed(recording, atLeast: 1)
        try await store.flush()
        guard case .fileBehind(let since, let error) = store.status else {
            Issue.record("\(store.status)")
            return
        }
        #expect((error as? SettingsError)?.underlying as? StorageError == noSpace)
        #expect(store.status.oldestUnsavedChange == nil && store.status != .saved)
        #expect("\(store.status)" == "saved, but the readable file is behind since \(since): There is no room.")
        #expect(store.statistics.failedCheckpoints == 1 && store.statistics.failedSaves == 1)
        failing.heal()
        try await eventually("the store is saved", advancing: clock, by: .milliseconds(250)) {
            store.status == .saved
        }
        #expect(store.statistics.failedCheckpoints == 1)
    }

    @Test("The status says that an unreadable edit keeps the file behind, until the file can be written")
    func behindAnEdit() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            let clock = ManualClock()
            let store = try await SettingsStore.open(at: file, configuration: .init(clock: clock))
            let settings = try await store.group(CounterSettings.self)
            try await store.file.flush()
            var since: Date?
            for (count, text, place) in [(1, "{ half", "ine 1"), (2, "{\n\n half", "ine 3")] {
                try Data(text.utf8).write(to: file)
                settings.count = count
                try await store.flush()
                var reason = ""
                var begin: Date?
                try await eventually("the file is behind", advancing: clock, by: .milliseconds(250)) {
                    guard case .fileBehind(let since, let error) = store.status else { return false }
                    (begin, reason) = (since, "\(error)")
                    return reason.contains(place)
                }
                #expect(reason.contains("can't be used as it is"))
                #expect(since == nil || since == begin)
                since = begin
            }
            #expect(store.statistics.failedCheckpoints == 0 && store.statistics.failedSaves == 0)
            // An empty edit, with nothing to merge.
            try Data("{}".utf8).write(to: file)
            try await eventually("the store is saved", advancing: clock, by: .milliseconds(250)) {
                store.status == .saved
            }
            #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("\"count\": 2"))
            try await store.close()
        }
    }

    @Test("The status says that a folder in the file's place keeps it behind, while the folder can't be moved")
    func behindAFolder() async throws {
        let (fixture, clock) = (try FileStorageFixture(), ManualClock())
        let store = try await SettingsStore.open(storage: fixture.storage(), configuration: .init(clock: clock))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        try await store.file.flush()
        fixture.calls.fail(every: .rename, with: .permissionDenied)
        try FileManager.default.removeItem(at: fixture.file)
        try FileManager.default.createDirectory(at: fixture.file, withIntermediateDirectories: false)
        settings.count = 2
        try await eventually("the file is behind", advancing: clock, by: .milliseconds(250)) {
            if case .fileBehind = store.status { true } else { false }
        }
        fixture.calls.heal()
        try await eventually("the store is saved", advancing: clock, by: .milliseconds(250)) {
            store.status == .saved
        }
        #expect(try fixture.text().contains("\"count\": 2"))
        try await store.close()
    }

    @Test("A typing error in the file keeps it behind, although no program has written anything since")
    func typingError() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            let clock = ManualClock()
            let store = try await SettingsStore.open(at: file, configuration: .init(clock: clock))
            let settings = try await store.group(CounterSettings.self)
            try await settings.commit { settings.count = 1 }
            try await store.file.flush()
            let good = try Data(contentsOf: file)
            try Data("{ half".utf8).write(to: file)
            var reason = ""
            try await eventually("the broken line is named", advancing: clock, by: .milliseconds(250)) {
                if case .fileBehind(_, let error) = store.status { reason = "\(error)" }
                return reason.contains("ine 1")
            }
            await #expect(throws: SettingsError.self) { try await store.file.flush() }
            #expect(try Data(contentsOf: file) == Data("{ half".utf8))
            try good.write(to: file)
            try await eventually("the store is saved", advancing: clock, by: .milliseconds(250)) {
                store.status == .saved
            }
            try await store.close()
        }
    }

    @Test("Statuses are equatable")
    func equality() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        #expect(store.status == .saved)
        settings.count = 1
        _ = await recording.batches(atLeast: 1)
        let pending = store.status
        #expect(pending == store.status && pending != .saved)
        failing.fail(.append, with: noSpace, count: 1)
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(store.status == store.status && store.status != pending)
        try await store.flush()
        #expect(store.status == .saved)
    }

    @Test("A failed save is one issue, however often it is tried again")
    func issues() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let issues = ChangeRecorder(store.issues)
        failing.fail(.syncedAppend, with: noSpace, count: 2)
        settings.count = 1
        for _ in 0..<2 { await #expect(throws: SettingsError.self) { try await store.flush() } }
        try await store.close()
        let seen = await issues.untilEnd()
        #expect(seen.count == 1)
        #expect(seen.allSatisfy { $0.code == .storage && $0.description == "There is no room." })
    }

    @Test("A save that fails after storing its values is repeated all the same")
    func failedAfter() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.append, with: StorageError(.writeFailed, "The sync failed."), moment: .after)
        settings.count = 1
        await #expect(throws: SettingsError.self) { try await store.flush() }
        failing.heal()
        try await store.flush()
        #expect(recording.batches.map(\.values) == [["count": .integer(1)]])
    }

    @Test("A value that failed to save and was then reset is removed")
    func failedAndReset() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        failing.fail(.append, with: noSpace)
        settings.count = 1
        await #expect(throws: SettingsError.self) { try await store.flush() }
        failing.heal()
        try settings.$count.reset()
        try await store.flush()
        #expect(recording.batches.map(\.values) == [["count": nil]])
    }
}
