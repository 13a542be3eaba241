import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Subscribers on an actor, whose waits take them to no other thread.
@Suite(.timeLimit(.minutes(10))) struct ActorSubscriberTests {
    private actor Subscriber {
        private let executor: SteppedExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: SteppedExecutor) {
            self.executor = executor
        }

        func changedCount(of settings: CounterSettings) async -> Int? {
            var changes = settings.changes.makeAsyncIterator()
            return await changes.next()?.mutations[0].newValue as? Int
        }

        func newerCount(of settings: CounterSettings) async -> Int? {
            var values = settings.$count.makeAsyncIterator()
            _ = await values.next()
            return await values.next(isolation: self)
        }
    }

    @Test("The job that asks for the next element also begins the wait for it", arguments: [false, true])
    func parking(followsValue: Bool) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let executor = SteppedExecutor()
        let subscriber = Subscriber(executor)
        let found = LockedValue<Int?>(nil)
        let task = Task {
            let count = await followsValue ? subscriber.newerCount(of: settings) : subscriber.changedCount(of: settings)
            found.withLock { $0 = count }
        }
        try await executor.waitForJob()
        executor.run()
        let log = store.core.log
        let isParked = log.lock.withLock {
            let topic: Topic? = followsValue ? log.stored.slots["count"] : log.root
            return topic?.waiters?.isEmpty == false
        }
        #expect(isParked)
        settings.count = 5
        try await eventually("the subscriber has the new count") {
            executor.run()
            return found.withLock { $0 } == 5
        }
        await task.value
        try await store.close()
    }
}
