import Dispatch
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// Commits and flushes of all kinds of tasks, also while the threads of others are blocked.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct CallersTests {
    @Test("Commits and flushes return to their caller, with their values saved", arguments: Caller.allCases)
    func alone(_ caller: Caller) async throws {
        let memory = InMemoryStorage()
        let (store, settings) = try await CounterSettings.open(on: memory)
        try await caller.run {
            for number in 1...50 {
                try await settings.commit { settings.count += 1 }
                #expect(memory.tree["count"] == .integer(Int64(number)))
                settings.other = number
                try await store.flush()
                #expect(memory.tree["other"] == .integer(Int64(number)))
            }
        }
        try await store.close()
    }

    @Test("Callers of all kinds that share a file lose no commit") func together() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        let store = try await SettingsStore.open(at: file)
        let settings = try await store.group(CounterSettings.self)
        let tasks = (Caller.allCases + Caller.allCases).map { caller in
            caller.begin {
                for _ in 0..<50 {
                    try await settings.commit { settings.count += 1 }
                    try await store.flush()
                }
            }
        }
        for task in tasks { try await task.value }
        #expect(settings.count == tasks.count * 50)
        try await store.close()
        #expect(try await CounterSettings.count(in: file) == tasks.count * 50)
    }

    @Test(
        "Commits and flushes of an actor with a thread of its own end while all threads of the runtime are blocked",
        arguments: Caller.allCases.filter(\.hasOwnThread))
    func blockedRuntime(_ caller: Caller) async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "settings.json").path
        await #expect(processExitsWith: .exitCode(33)) { [path = path as String, caller = caller as Caller] in
            let store = try await SettingsStore.open(at: URL(filePath: path))
            let settings = try await store.group(CounterSettings.self)
            blockTheRuntime {
                _ = caller.begin {
                    do {
                        for _ in 0..<20 {
                            try await settings.commit { settings.count += 1 }
                            settings.other += 1
                            try await store.flush()
                        }
                        exit(33)
                    } catch {
                        exit(1)
                    }
                }
            }
            try await store.run()
        }
        #expect(try await CounterSettings.count(in: URL(filePath: path)) == 20)
    }

    @Test("A commit that begins at once is saved even if all threads of the runtime are blocked")
    func beginsAtOnce() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "settings.json").path
        await #expect(processExitsWith: .exitCode(33)) { [path = path as String] in
            let store = try await SettingsStore.open(at: URL(filePath: path))
            let settings = try await store.group(CounterSettings.self)
            blockTheRuntime {
                _ = Caller.immediateTask.begin { try await settings.commit { settings.count = 1 } }
                do {
                    try store.flushAndWait()
                    exit(settings.count == 1 ? 33 : 2)
                } catch {
                    exit(1)
                }
            }
            try await store.run()
        }
        #expect(try await CounterSettings.count(in: URL(filePath: path)) == 1)
    }

    @Test(
        "Commits and flushes of others end while the main thread is blocked",
        arguments: [Caller.actor, .threadActor, .detachedTask, .immediateTask])
    func blockedMainThread(_ caller: Caller) async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "settings.json").path
        await #expect(processExitsWith: .exitCode(33)) { [path = path as String, caller = caller as Caller] in
            let store = try await SettingsStore.open(at: URL(filePath: path))
            let settings = try await store.group(CounterSettings.self)
            let gate = Gate()
            DispatchQueue.main.async { gate.pass() }
            await gate.waitUntilReached()
            try await caller.run {
                for _ in 0..<20 {
                    try await settings.commit { settings.count += 1 }
                    settings.other += 1
                    try await store.flush()
                }
                exit(33)
            }
        }
        #expect(try await CounterSettings.count(in: URL(filePath: path)) == 20)
    }

    @Test("A cancelled call returns while all threads of the stores are blocked") func blockedStores() async throws {
        await #expect(processExitsWith: .success) {
            let never = DispatchSemaphore(value: 0)
            for _ in 0..<(ProcessInfo.processInfo.activeProcessorCount * 4) {
                QueueExecutor.threads.async { block(on: never) }
            }
            let (request, isHandedOver) = (SaveRequest(.save, in: nil), Flag())
            let task = Task { @MainActor in try await request.wait { _ in isHandedOver.raise() } }
            try await eventually("the request is handed over") { isHandedOver.isRaised }
            // Until the task is suspended.
            await MainActor.run {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("A request is handed over where its caller runs", arguments: [false, true])
    func handedOver(isCancellable: Bool) async throws {
        #expect(try await RequestingActor().isHandedOverHere(isCancellable: isCancellable))
    }

    @Test("The thread that ends a request of an actor returns the task to the actor", arguments: [false, true])
    func returned(isCancellable: Bool) async throws {
        let ending = QueueExecutor(label: "test")
        #expect(try await RequestingActor(endingOn: ending).isReturnedByEnd(isCancellable: isCancellable))
    }
}

/// An actor whose executor records which thread enqueues its jobs.
private actor RequestingActor {
    private final class Executor: SerialExecutor {
        let jobs = QueueExecutor(label: "test")
        let ending: QueueExecutor
        /// Whether the last job came from the queue on which requests end.
        let isReturnedByEnd = LockedValue(false)

        init(ending: QueueExecutor) { self.ending = ending }

        func enqueue(_ job: consuming ExecutorJob) {
            isReturnedByEnd.withLock { $0 = ending.isCurrent }
            let job = UnownedJob(job)
            jobs.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor: Executor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(endingOn ending: QueueExecutor = QueueExecutor(label: "test")) { executor = Executor(ending: ending) }

    func isHandedOverHere(isCancellable: Bool) async throws -> Bool {
        var isHere = false
        try await wait(for: SaveRequest(.save, in: nil), isCancellable: isCancellable) { request in
            isHere = executor.jobs.isCurrent
            request.end(.success(()))
        }
        return isHere
    }

    /// Waits for a request that ends on the given queue, once the task is suspended.
    func isReturnedByEnd(isCancellable: Bool) async throws -> Bool {
        try await wait(for: SaveRequest(.save, in: nil), isCancellable: isCancellable) { request in
            let ending = executor.ending.queue
            // The actor's queue comes to this when the task has left it.
            executor.jobs.queue.async { ending.async { request.end(.success(())) } }
        }
        return executor.isReturnedByEnd.withLock { $0 }
    }

    private func wait(
        for request: SaveRequest, isCancellable: Bool, _ handOver: (SaveRequest) -> Void
    ) async throws {
        if isCancellable {
            try await request.wait(handOver)
        } else {
            try await request.waitUncancellably(handOver)
        }
    }
}
