import Dispatch
import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Work on the thread of a visitor, which must not block.
@Suite(.timeLimit(.minutes(10))) struct QueueVisitTests {
    @Test("Visited work runs on the visitor's thread until it ends the visit, and then on one of the queue's own")
    func threads() async throws {
        let visited = Visited()
        let work = Task(executorPreference: visited.executor.forTasks) { await visited.work() }
        try await eventually("the work waits for its visitor") { visited.waiting.withLock { $0 != nil } }
        let visitor = await onThread {
            visited.waiting.withLock { $0.take() }.map { waiting in visited.executor.visit { waiting.resume() } }
            // The thread stays, so that no other one gets its number.
            visited.end.wait()
            return CurrentThread.number
        }
        let threads = await work.value
        #expect(threads.before == visitor)
        #expect(threads.after != visitor)
    }

    @Test("Work that is resumed behind a visit, before its wait begins, leaves the visitor's thread")
    func resumedEarly() async throws {
        let visited = Visited()
        let work = Task(executorPreference: visited.executor.forTasks) { await visited.workResumedEarly() }
        try await eventually("the work waits for its visitor") { visited.waiting.withLock { $0 != nil } }
        let visitor = await onThread {
            visited.waiting.withLock { $0.take() }.map { waiting in visited.executor.visit { waiting.resume() } }
            visited.end.wait()
            return CurrentThread.number
        }
        let threads = await work.value
        #expect(threads.before == visitor)
        #expect(threads.after != visitor)
    }

    @Test("Code that a job runs on another queue must not wait for the job's queue either") func otherQueue() async {
        let visited = Visited()
        #expect(await visited.isCurrentInJob())
        let isCurrent = await onThread {
            var isCurrent = false
            visited.executor.visit { isCurrent = visited.isCurrentOnOtherQueue }
            return (isCurrent, visited.isCurrentOnOtherQueue)
        }
        #expect(isCurrent == (true, false))
    }

    @Test("The persister's first work after a visit is resumed behind that visit") func workAfterVisit() async throws {
        let (store, _) = try await CounterSettings.open(on: InMemoryStorage())
        let persister = store.core.persister
        let works = WorkQueue()
        let waiting = LockedValue<UnsafeContinuation<Void, Never>?>(nil)
        /// Adds work, and returns how the runner waited for it.
        @Sendable func add() -> Bool? {
            guard case .resumption(let continuation, let endsVisit) = works.add(.work { _ in }) else { return nil }
            waiting.withLock { $0 = continuation }
            return endsVisit
        }
        #expect(add() == nil)
        let runner = Task.detached(executorPreference: persister.executor.forTasks) { await works.run(on: persister) }
        try await eventually("the runner waits for work") { add() == false }
        let resumed = try #require(waiting.withLock { $0.take() })
        await onThread { persister.executor.visit { resumed.resume() } }
        #expect(add() == true)
        try persister.executor.resumeBehindVisit(#require(waiting.withLock { $0.take() }))
        try await eventually("the runner waits for work again") { add() == false }
        try await store.close()
        waiting.withLock { $0.take() }?.resume()
        await runner.value
    }

    @Test("The thread that watches the files does not wait for a storage that is at work")
    func busyStorage() async throws {
        let (folder, source) = (try TemporaryFolder(), QuietSource())
        let storage = storage(in: folder, source)
        let (store, _) = try await CounterSettings.open(on: storage)
        await store.core.persister.becomeIdle()
        #expect(!storage.hasPendingChecks)
        let (gate, hasReturned) = (Gate(), Flag())
        async let work: Void = onThread { storage.session.withLock { _ in gate.pass() } }
        await gate.waitUntilReached()
        // Also if the test throws: its end waits for the work.
        defer { gate.open() }
        let handle = try #require(storage.handler.withLock { $0 })
        let queue = try #require(source.queue.withLock { $0 })
        queue.async {
            handle(.mayHaveChanged)
            hasReturned.raise()
        }
        try await eventually("the thread is free again") { hasReturned.isRaised }
        gate.open()
        await work
        try await store.close()
    }

    @Test("The thread that watches the files adds to the feed what others have stored, once its values are in force")
    func feed() async throws {
        let (folder, source) = (try TemporaryFolder(), QuietSource())
        let storage = storage(in: folder, source)
        let store = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(history: .keep(), clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        var cursor = store.history.cursor(after: store.history.token)
        guard case .query(let query) = cursor.step() else {
            Issue.record("A new follower has not asked the storage.")
            return
        }
        _ = cursor.accept(await query.answer())
        let other = self.storage(in: folder, QuietSource())
        _ = try other.load()
        try other.append(StorageBatch(revision: 1, values: ["count": .integer(2)]), durability: .synced)
        await store.core.persister.becomeIdle()
        #expect(!storage.hasPendingChecks)
        let log = store.core.log
        let handle = try #require(storage.handler.withLock { $0 })
        let queue = try #require(source.queue.withLock { $0 })
        let end = await withCheckedContinuation { (continuation: CheckedContinuation<ChangeToken?, Never>) in
            queue.async {
                // As after an event of the journal.
                storage.session.withLock { _ = $0.mergeFewNewRecords() }
                handle(.mayHaveChanged)
                continuation.resume(returning: log.lock.withLock { log.feed.end })
            }
        }
        #expect(end == other.token && settings.count == 2)
        guard case .change(let change) = cursor.step(), case .wait = cursor.step() else {
            Issue.record("The follower has not got the transaction exactly once.")
            return
        }
        #expect(change.token == end && change.mutations.first?.newValue as? Int == 2)
        try await store.close()
    }

    @Test("An actor's commit that begins on its caller's thread collects no values there")
    func collecting() async throws {
        let folder = try TemporaryFolder()
        let (store, settings) = try await CounterSettings.open(on: storage(in: folder, QuietSource()))
        let volatile = try await store.group(VolatileSettings.self, at: "volatile")
        try await settings.commit { settings.count = 1 }
        let (persister, log) = (store.core.persister, store.core.log)
        await persister.becomeIdle()
        // A change that leaves nothing to be saved, as one would that comes just then.
        volatile.secret = 1
        let (collected, revision) = log.lock.withLock { (log.unsaved.lastCollected, log.changes.revision) }
        #expect(collected < revision)
        let visitor = try await persister.beginActorTransaction(in: store.core)
        #expect(log.lock.withLock { log.unsaved.lastCollected } == collected)
        persister.abandonActorTransaction(visitor)
        try await store.close()
    }

    /// A storage that gets no events.
    private func storage(in folder: TemporaryFolder, _ source: QuietSource) -> FileStorage {
        FileStorage(
            at: folder.url.appending(path: "settings.json"), calls: POSIXSystemCalls(),
            watching: SystemFileWatching(source: source, pollInterval: nil))
    }
}

extension Persister {
    /// Waits until the persister has done its work, and waits for more.
    nonisolated func becomeIdle() async {
        await perform { _ in }
        await withCheckedContinuation { continuation in executor.queue.async { continuation.resume() } }
    }
}

/// A source without events.
private final class QuietSource: FolderEventSource {
    /// The queue for its events.
    let queue = LockedValue<DispatchQueue?>(nil)
    let tellsNames = true

    func start(on queue: DispatchQueue, _ deliver: @escaping @Sendable ([FolderEvent]) -> Void) {
        self.queue.withLock { $0 = queue }
    }

    func add(_ folder: FilePath, files: Set<String>) throws(SystemError) -> Int { 1 }

    func remove(_ number: Int) {}
}

private actor Visited {
    nonisolated let executor = QueueExecutor(isPreferred: true)
    nonisolated let end = DispatchSemaphore(value: 0)
    nonisolated let waiting = LockedValue<UnsafeContinuation<Void, Never>?>(nil)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated var isCurrentOnOtherQueue: Bool { DispatchQueue(label: "test").sync { executor.isCurrent } }

    func isCurrentInJob() -> Bool { isCurrentOnOtherQueue }

    /// Returns the threads that it runs on during and after the visit.
    func work() async -> (before: UInt64, after: UInt64) {
        defer { end.signal() }
        await withUnsafeContinuation { continuation in waiting.withLock { $0 = continuation } }
        let before = CurrentThread.number
        await executor.endVisit()
        return (before, CurrentThread.number)
    }

    /// Works as ``work()`` does, and is resumed after the visit in the body of its wait.
    func workResumedEarly() async -> (before: UInt64, after: UInt64) {
        defer { end.signal() }
        await withUnsafeContinuation { continuation in waiting.withLock { $0 = continuation } }
        let before = CurrentThread.number
        await withUnsafeContinuation { continuation in
            executor.leave()
            executor.resumeBehindVisit(continuation)
        }
        return (before, CurrentThread.number)
    }
}

private enum CurrentThread {
    /// A number that no other living thread has.
    static var number: UInt64 {
        var number: UInt64 = 0
        withUnsafeBytes(of: pthread_self()) { number = $0.loadUnaligned(as: UInt64.self) }
        return number
    }
}
