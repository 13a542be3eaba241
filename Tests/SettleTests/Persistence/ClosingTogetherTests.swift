import Dispatch
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ClosingTogetherTests {
    @Test("A store that one of two concurrent closes has closed stays closed, even if the other close failed")
    func twoAtOnce() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        _ = await recording.batches(atLeast: 1)
        let error = StorageError(.noSpace, "There is no room.")
        failing.fail(.checkpoint, with: error, count: 1)
        failing.fail(.syncedAppend, with: error, count: 1)
        let hold = failing.hold(.checkpoint)
        let first = Task { try await store.close() }
        await hold.waitUntilReached()
        let queue = TestQueue()
        let second = Task(executorPreference: queue) { try await store.close() }
        // The second close is in the persister's queue now.
        await onThread { queue.queue.sync {} }
        hold.release()
        await #expect(throws: SettingsError.self) { try await first.value }
        try await second.value
        #expect(throws: SettingsError.self) { try settings.$count.set(2) }
        #expect(settings.count == 1)
        try await store.close()
    }
}

/// Runs tasks on its own queue, so that a test can tell when a task reaches its first wait.
private final class TestQueue: TaskExecutor {
    let queue = DispatchQueue(label: "test.tasks")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
