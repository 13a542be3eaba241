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
