import Dispatch
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Closing waits for commits on their caller's actor, whatever executor its task prefers.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct VisitorsTests {
    @Test(
        "What waits for the last visitor notices that it ends just then", arguments: [false, true], [false, true])
    func lastVisitor(prefersExecutor: Bool, endsFirst: Bool) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let persister = store.core.persister
        let visitor = try await persister.beginActorTransaction(in: store.core)
        let (gate, tasks, isDone) = (Gate(), QueueOfTasks(), Flag())
        persister.executor.queue.async { gate.pass() }
        await gate.waitUntilReached()
        // While the queue is at work, both arrive on it. They take several steps there, which then alternate.
        if endsFirst { persister.abandonActorTransaction(visitor) }
        let work = { @Sendable in
            try await persister.performBetweenTransactions { _ in }
            isDone.raise()
        }
        let task =
            prefersExecutor ? Task(executorPreference: tasks) { try await work() } : Task.immediate { try await work() }
        await tasks.waitUntilIdle()
        if !endsFirst { persister.abandonActorTransaction(visitor) }
        gate.open()
        try await eventually("the work between transactions is done") { isDone.isRaised }
        try await task.value
        try await store.close()
    }

    @Test("Overlapping commits on actors release the storage's lock after a second", arguments: [false, true])
    func overlapping(isAbandoned: Bool) async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let persister = store.core.persister
        let first = try await persister.beginActorTransaction(in: store.core)
        clock.advance(by: .seconds(2))
        let second = Task { try await persister.beginActorTransaction(in: store.core) }
        try await arrival(of: 2, at: persister)
        #expect(await persister.group.visitors.count == 1)
        if isAbandoned { persister.abandonActorTransaction(first) } else { try await end(first, in: store) }
        persister.abandonActorTransaction(try await second.value)
        #expect(recording.calls.count { $0.operation == .lockForTransaction } == 2)
        try await store.close()
    }

    @Test("A commit on an actor that would begin just before the group's end waits for the lock's release")
    func beforeGroupEnd() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let persister = store.core.persister
        let first = try await persister.beginActorTransaction(in: store.core)
        let second = try await persister.beginActorTransaction(in: store.core)
        clock.advance(by: .seconds(2))
        let third = Task { try await persister.beginActorTransaction(in: store.core) }
        try await arrival(of: 3, at: persister)
        let gate = Gate()
        persister.executor.queue.async { gate.pass() }
        await gate.waitUntilReached()
        let count = persister.works.count
        // The end of the first one enqueues the group's end, behind the end of the second one.
        let ending = Task { try await end(first, in: store) }
        do {
            defer { gate.open() }
            try await eventually("the first one's end is in the queue") { persister.works.count > count }
            persister.abandonActorTransaction(second)
        }
        let visitor = try await third.value
        #expect(recording.calls.count { $0.operation == .lockForTransaction } == 2)
        persister.abandonActorTransaction(visitor)
        try await ending.value
        try await store.close()
    }

    @Test("A flush to the file comes before commits on actors that have not begun") func flushToFile() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let persister = store.core.persister
        let first = try await persister.beginActorTransaction(in: store.core)
        let flush = Task { try await store.file.flush() }
        try await eventually("the flush waits for the commit") { await persister.transactions.barriers == 1 }
        let second = Task { try await persister.beginActorTransaction(in: store.core) }
        try await arrival(of: 2, at: persister)
        persister.abandonActorTransaction(first)
        let visitor = try await second.value
        #expect(recording.calls.contains { $0.operation == .checkpoint(.requested) })
        persister.abandonActorTransaction(visitor)
        try await flush.value
        try await store.close()
    }

    @Test("A due checkpoint comes before commits on actors that have waited for the one that delayed it")
    func dueCheckpoint() async throws {
        let (store, clock, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        try await store.flush()
        let persister = store.core.persister
        let first = try await persister.beginActorTransaction(in: store.core)
        clock.advance(by: .seconds(10))
        let second = Task { try await persister.beginActorTransaction(in: store.core) }
        try await arrival(of: 2, at: persister)
        try await end(first, in: store)
        let visitor = try await second.value
        #expect(recording.calls.contains { $0.operation == .checkpoint(.settled) })
        persister.abandonActorTransaction(visitor)
        try await store.close()
    }

    /// Waits until so many transactions wait or have begun.
    private func arrival(of count: Int, at persister: Persister) async throws {
        try await eventually("\(count) transactions have arrived") {
            await persister.transactions.waiting.count + persister.group.visitors.count == count
        }
    }

    /// Ends a transaction that has changed nothing.
    private func end(_ visitor: SaveRequest, in store: SettingsStore) async throws {
        let revision = store.core.log.lock.withLock { store.core.log.changes.revision }
        try await store.core.persister.endActorTransaction(
            visitor, savingRevision: revision, reading: nil, isReading: true)
    }

    @Test("Commits on an actor, flushes to the file and closing, at the same time, all end")
    func closing() async throws {
        for _ in 0..<100 {
            let (store, settings) = try await CounterSettings.open(on: InMemoryStorage())
            let (hasBegun, isClosed) = (Flag(), Flag())
            let commit = Task {
                try await settings.commitOnMainActor {
                    hasBegun.raise()
                    $0.count += 1
                }
            }
            let flush = Task { try await store.file.flush() }
            try await eventually("the commit has begun") { hasBegun.isRaised }
            let close = Task {
                try await store.close()
                isClosed.raise()
            }
            try await commit.value
            try await eventually("the store is closed") { isClosed.isRaised }
            try await close.value
            _ = await flush.result
        }
    }
}
