import Settle
import SettleTestSupport
import SettleTesting
import Testing

private struct WakingSettings: SettingsGroup {
    @Setting var plain = 0
    @Setting(in: 0...100) var ruled = 0
    @Setting var list = [1, 2, 3]
}

/// Records for each wake-up whether the waking thread holds a writer lock.
private final class WatchingExecutor: TaskExecutor {
    let isHeld: @Sendable () -> Bool
    let wakes = LockedValue<[Bool]>([])

    init(isHeld: @escaping @Sendable () -> Bool) {
        self.isHeld = isHeld
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let held = isHeld()
        wakes.withLock { $0.append(held) }
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        Task.detached { job.runSynchronously(on: executor) }
    }
}

@Suite(.timeLimit(.minutes(10))) struct WakingTests {
    @Test("No subscriber is woken under a writer lock, even by a nested write")
    func noLockWhileWaking() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(WakingSettings.self)
        let executor = WatchingExecutor { store.isHeldByCurrentWriter }
        let seen = LockedValue<[Int]>([])
        let subscriber = Task(executorPreference: executor) {
            for await change in settings.changes {
                seen.withLock { $0.append(Int(change.revision ?? 0)) }
                if (change.revision ?? 0) >= 6 { break }
            }
        }
        // The subscriber is parked before each write, so that the writer itself must wake it.
        func afterParking(_ write: () throws -> Void) async throws {
            try await eventually("the subscriber is parked") { store.hasParkedSubscriber }
            try write()
        }
        try await afterParking { settings.plain = 1 }
        try await afterParking { settings.ruled = 2 }
        try await afterParking { try settings.$ruled.set(3) }
        try await afterParking { try settings.update { settings.plain = 4 } }
        try await afterParking {
            settings.list.removeAll { number in
                settings.ruled = 10 + number
                return number == 1
            }
        }
        await subscriber.value
        let wakes = executor.wakes.withLock { $0 }
        #expect(wakes.count >= 5)
        #expect(!wakes.contains(true))
    }
}
