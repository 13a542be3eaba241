import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Code that runs inside a change in place, and code that runs because one is suspended.
@Suite(.timeLimit(.minutes(10))) struct ChangeInPlaceTests {
    @Test("A task that runs immediately inside a change in place may write to the store")
    func immediateTask() async {
        await #expect(processExitsWith: .success) {
            guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
            let store = try await SettingsStore.open(storage: InMemoryStorage())
            for settings in [try await store.group(CounterSettings.self), CounterSettings()] {
                settings.list = [1, 2, 3]
                let tasks = LockedValue<[Task<Void, any Error>]>([])
                settings.list.withEach {
                    let task = Task.immediate {
                        settings.count += 1
                        try settings.update { settings.name = "written" }
                        await Task.yield()
                        settings.table["later"] = 1
                    }
                    tasks.withLock { $0.append(task) }
                }
                for task in tasks.withLock({ $0 }) { try await task.value }
                try #require(settings.count == 1 && settings.name == "written" && settings.table == ["later": 1])
            }
        }
    }

    @Test("Tasks that an executor runs inside a change in place may write to the store, in a task or not")
    func nestedExecutor() async {
        await #expect(processExitsWith: .success) {
            let settings = CounterSettings()
            settings.list = [1]
            try await Task { try changeWithTasksInside(settings) }.value
            try await onThread { Result { try changeWithTasksInside(settings) } }.get()
            try #require(settings.count == 2 && settings.list == [1])
        }
    }

    @Test("A suspended change that ends on another thread ends the program, although the first one is parked")
    func parkedThread() async {
        // A setting that no store has opened.
        let unopened = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let reference = CounterSettings().$count
            let change = await onParkedThread { reference.box.beginModifying() }
            await onThread { reference.box.endModifying(2, change) }
        }
        let inDraft = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let draft = CounterSettings().draft()
            await onParkedThread { draft.engine.writer.lockForChange() }
            await onThread { draft.engine.writer.checkChange() }
        }
        for result in [unopened, inDraft] {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("a setting can't be passed inout to an async function"))
        }
    }

    @Test("A thread that finds a change in place can tell whether it is suspended")
    func looking() async throws {
        let executor = SteppedExecutor()
        let changer = Changer(executor)
        let nested = LockedValue<[Bool]>([])
        let task = Task {
            await changer.change { lock in
                let isSuspended = lock.isChangeSuspended(seenByTask: false)
                nested.withLock { $0.append(isSuspended) }
            }
        }
        try await executor.waitForJob()
        let after = await onThread {
            executor.run()
            // The task has begun a change and is suspended.
            defer { changer.lock.unlock() }
            return (changer.lock.isChangeSuspended(seenByTask: false), changer.lock.isChangeSuspended(seenByTask: true))
        }
        #expect(nested.withLock { $0 } == [false] && after == (true, true))
        changer.goOn.resume()
        try await executor.waitForJob()
        _ = await onThread { executor.run() }
        await task.value
        let outside = RecursiveLock()
        let isSuspended = await onThread {
            outside.lockForChange()
            defer { outside.unlock() }
            return outside.isChangeSuspended(seenByTask: false)
        }
        #expect(!isSuspended)
    }
}

/// Runs something on a thread that does nothing else from then on.
private func onParkedThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread {
            continuation.resume(returning: body())
            DispatchSemaphore(value: 0).wait()
        }.start()
    }
}

private func changeWithTasksInside(_ settings: CounterSettings) throws {
    let executor = SteppedExecutor()
    let writer = Writer(executor)
    Task { await writer.add(to: settings) }
    settings.list.withEach {
        while !executor.run() { yieldThread() }
    }
    // The change's own task goes on as before.
    try settings.update { settings.name = "" }
}

/// Runs its actors' jobs on request, on the requesting thread, like a run loop.
final class SteppedExecutor: SerialExecutor {
    private let jobs = LockedValue<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// - Returns: Whether there was a job to run.
    @discardableResult
    func run() -> Bool {
        let ready = jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in ready { job.runSynchronously(on: asUnownedSerialExecutor()) }
        return !ready.isEmpty
    }

    func waitForJob() async throws {
        try await eventually("there is a job") { jobs.withLock { !$0.isEmpty } }
    }
}

private actor Writer {
    private let executor: SteppedExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: SteppedExecutor) {
        self.executor = executor
    }

    func add(to settings: CounterSettings) {
        settings.count += 1
    }
}

/// Begins a change and is suspended until resumed.
private actor Changer {
    nonisolated let lock = RecursiveLock()
    nonisolated let goOn = Resumption()
    private let executor: SteppedExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: SteppedExecutor) {
        self.executor = executor
    }

    func change(_ body: (RecursiveLock) -> Void) async {
        lock.lockForChange()
        body(lock)
        await goOn.wait()
    }
}

private final class Resumption: Sendable {
    private let continuation = LockedValue<CheckedContinuation<Void, Never>?>(nil)

    func wait() async {
        await withCheckedContinuation { continuation in self.continuation.withLock { $0 = continuation } }
    }

    func resume() {
        continuation.withLock { $0 }?.resume()
    }
}
