import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// What the store makes of leases that end.
@Suite(.timeLimit(.minutes(10))) struct StorageLeaseTests {
    private let memory = InMemoryStorage(SettingTree(["count": .integer(10)]))
    private static let noRoom = StorageError(.noSpace, "There is no room.")

    @Test("A commit whose lease has ended is undone and throws, and the next one takes a new lease") func leaseLost()
        async throws
    {
        let storage = RemoteStorage(memory, timeToLive: .seconds(10))
        let (_, settings) = try await CounterSettings.open(on: storage)
        storage.endNextLease()
        let error = await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        #expect((error?.underlying as? StorageError)?.code == .leaseLost && settings.count == 10)
        try await settings.commit { settings.count += 1 }
        #expect(memory.tree["count"] == .integer(11))
    }

    @Test("A named lock with an end is renewed while its closure runs") func renewed() async throws {
        let storage = RemoteStorage(memory, timeToLive: .seconds(9))
        let clock = ManualClock()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        try await store.withLock {
            for round in 1...5 {
                await clock.deadlines { $0.contains { $0.sinceStart <= .seconds(3 * round) } }
                clock.advance(by: .seconds(3))
                try await eventually("renewal \(round) has come") { storage.renewals >= round }
            }
        }
        #expect(storage.renewals >= 5)
    }

    @Test("A named lock that could not be renewed is reported when its closure ends") func lockLost() async throws {
        let storage = RemoteStorage(memory, timeToLive: .seconds(9))
        let clock = ManualClock()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        let error = await #expect(throws: SettingsError.self) {
            try await store.withLock(named: "work") {
                storage.loseLeases()
                await clock.deadlines { !$0.isEmpty }
                clock.advance(by: .seconds(3))
                // Not `eventually`, which would end with the closure's task: that is cancelled when the lock is lost.
                let end = ContinuousClock.now + .seconds(300)
                while await store.holdsLock(named: "work"), .now < end { await Task.yield() }
            }
        }
        #expect(error?.code == .lockLost && error?.description.contains("work") == true)
        // It can be acquired again.
        storage.keepLeases()
        #expect(try await store.withLock(named: "work") { 1 } == 1)
    }

    @Test("The closure of a lock is cancelled when its lease ends, where its caller runs", arguments: [false, true])
    @MainActor func cancelledClosure(isAnswered: Bool) async throws {
        let storage = RemoteStorage(memory, timeToLive: .seconds(9))
        let clock = ManualClock()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        var isCancelled = false
        let error = await #expect(throws: SettingsError.self) {
            try await store.withLock(named: "work") {
                MainActor.assertIsolated()
                if isAnswered { storage.loseLeases() } else { storage.holdRenewals() }
                await clock.deadlines { !$0.isEmpty }
                clock.advance(by: .seconds(3))
                if !isAnswered {
                    try await eventually("a renewal has come") { storage.renewals > 0 }
                    clock.advance(by: .seconds(6))
                }
                await Self.waitUntilCancelled()
                isCancelled = Task.isCancelled
                try Task.checkCancellation()
            }
        }
        #expect(error?.code == .lockLost && isCancelled && !Task.isCancelled)
        // What it returns and throws is told as ever.
        storage.keepLeases()
        #expect(try await store.withLock(named: "work") { isCancelled ? 1 : 2 } == 1)
        await #expect(throws: StorageError.self) { try await store.withLock(named: "work") { throw Self.noRoom } }
    }

    private static func waitUntilCancelled() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
        continuation.finish()
    }
}
