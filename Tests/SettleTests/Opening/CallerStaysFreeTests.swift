import Dispatch
import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Opening blocks neither the caller's actor, such as the main actor, nor the threads of the concurrency runtime.
@Suite(.timeLimit(.minutes(10))) struct CallerStaysFreeTests {
    @Test("An actor that opens a store does other work while the storage loads") func loading() async throws {
        let failing = FailingStorage()
        let hold = failing.hold(.load)
        let screen = Screen()
        let opening = Task { try await screen.open(failing) }
        await hold.waitUntilReached()
        #expect(await screen.refresh() == 1)
        hold.release()
        try await opening.value
        #expect(await screen.isOnItsQueue())
    }

    @Test("More waiting loads than processors block neither tasks nor other stores")
    func manyLoads() async throws {
        let storages = (0..<ProcessInfo.processInfo.activeProcessorCount * 2 + 2).map { _ in FailingStorage() }
        let holds = storages.map { $0.hold(.load) }
        let openings = storages.map { storage in Task { try await SettingsStore.open(storage: storage) } }
        for hold in holds { await hold.waitUntilReached() }
        await Task.detached {}.value
        let other = try await SettingsStore.open(storage: InMemoryStorage())
        try other.keys.setValue(1, forKey: "a")
        try await other.flush()
        for hold in holds { hold.release() }
        for opening in openings { _ = try await opening.value }
    }

    @Test("An actor that opens a group does other work while another thread writes") func group() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let gate = Gate()
        let writing = Task {
            await onThread {
                try? settings.update {
                    settings.count = 5
                    gate.pass()
                }
            }
        }
        await gate.waitUntilReached()
        let screen = Screen()
        let began = Flag()
        let opening = Task { try await screen.group(of: store, began) }
        try await eventually("the opening has begun") { began.isRaised }
        #expect(await screen.refresh() == 1)
        gate.open()
        #expect(try await opening.value == 5)
        await writing.value
    }
}

/// An actor with a single thread, like the main actor.
private actor Screen {
    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "test.screen")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
    }

    private let executor = Executor()
    private var refreshes = 0
    private var store: SettingsStore?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func refresh() -> Int {
        refreshes += 1
        return refreshes
    }

    func open(_ storage: any Storage) async throws {
        store = try await SettingsStore.open(storage: storage)
    }

    func group(of store: SettingsStore, _ began: Flag) async throws -> Int {
        began.raise()
        return try await store.group(CounterSettings.self).count
    }

    func isOnItsQueue() -> Bool {
        dispatchPrecondition(condition: .onQueue(executor.queue))
        return store != nil
    }
}
