import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

private struct BoundedSettings: SettingsGroup {
    @Setting(in: 0...5) var small = 1
    @Setting(in: 0...5) var low = 1
    @Setting var count = 0
}

private struct NamedLimits: SettingsGroup {
    @Setting("first", in: 0...5) var first = 1
    @Setting("second", in: 0...5) var second = 1
}

/// What becomes of issues that nobody iterates.
@Suite(.timeLimit(.minutes(10))) struct UnheardIssuesTests {
    private let unheard: ChangeRecorder<SettingsError>
    private let handler: @Sendable (SettingsError) -> Void

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: SettingsError.self)
        unheard = ChangeRecorder(stream)
        handler = { continuation.yield($0) }
    }

    private func open(_ storage: any Storage = InMemoryStorage()) async throws -> (SettingsStore, BoundedSettings) {
        let store = try await SettingsStore.open(
            storage: storage, configuration: .init(clock: ManualClock(), unheardIssueHandler: handler))
        return (store, try await store.group(BoundedSettings.self))
    }

    @Test("The handler receives each kind of issue once for each key, while nobody iterates the issues")
    func handler() async throws {
        let (store, settings) = try await open()
        for value in 10...12 { settings.small = value }
        settings.low = 10
        _ = await unheard.until { $0.count == 2 }
        let issues = ChangeRecorder(store.issues)
        #expect(await issues.until { $0.count == 4 }.map(\.key) == ["small", "small", "small", "low"])
        try store.keys.setValue(String(repeating: "a", count: 5 << 20), forKey: "large")
        #expect(await issues.until { $0.count == 5 }.last?.code == .largeValue)
        try await store.close()
        await issues.untilEnd()
        settings.count = 1
        let seen = await unheard.until { $0.last?.code == .closed }
        #expect(seen.map(\.key) == ["small", "low", "count"])
    }

    @Test("Assignments after the close of a store are reported, once for each setting") func closed() async throws {
        let (store, settings) = try await open()
        let issues = ChangeRecorder(store.issues)
        settings.small = 10
        try await store.close()
        await issues.untilEnd()
        for value in 1...3 {
            settings.count = value
            settings.low += 1
        }
        let seen = await unheard.until { $0.count == 2 }
        #expect(seen.map(\.key) == ["count", "low"] && seen.allSatisfy { $0.code == .closed })
        #expect(settings.count == 0 && settings.low == 1)
    }

    @Test("An edit that is set aside is reported with the name that it has then") func setAside() async throws {
        let fixture = try FileStorageFixture()
        try Data("{ half".utf8).write(to: fixture.file)
        let (store, settings) = try await open(fixture.storage())
        try await settings.commit { settings.count = 1 }
        let seen = await unheard.until { issues in issues.contains { $0.description.contains("corrupt-1") } }
        #expect(seen.contains { $0.description.contains("settings.json") && $0.code == .storage })
        try await store.close()
    }

    @Test("A failed save is reported, once however often it is tried again") func failedSave() async throws {
        let failing = FailingStorage()
        let (store, settings) = try await open(failing)
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        settings.count = 1
        for _ in 1...3 { await #expect(throws: SettingsError.self) { try await store.flush() } }
        let seen = await unheard.until { !$0.isEmpty }
        #expect(seen.count == 1 && seen.first?.code == .storage)
        let issues = ChangeRecorder(store.issues)
        #expect(await issues.until { !$0.isEmpty }.count == 1)
        failing.heal()
        try await store.flush()
        // The next failure is another one.
        failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
        settings.count = 2
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(await issues.until { $0.count > 1 }.count == 2)
        failing.heal()
        try await store.close()
        #expect(await issues.untilEnd().count == 2)
    }

    @Test("Without a handler they go to standard error, also those of a closed store and of no store")
    func standardError() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let store = try await SettingsStore.open(storage: InMemoryStorage())
            let settings = try await store.group(BoundedSettings.self)
            for value in 10...12 { settings.small = value }
            // A draft lists what it refuses.
            settings.draft().low = 10
            try await store.close()
            for value in 1...3 { settings.count = value }
            let unopened = NamedLimits()
            for value in 10...12 { (unopened.first, unopened.second) = (value, value) }
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("Settle: ") }
        #expect(lines.count == 4, "\(lines)")
        for (line, key) in zip(lines, ["small", "count", "first", "second"]) {
            #expect(line.contains("“\(key)” can't be"), "\(line)")
        }
    }
}
