import Dispatch
import Foundation
import Settle
import SettleTesting
import Testing

/// Nothing of what opening waits for runs on the caller's actor, as the main actor would be, or on the threads of Swift's tasks.
@Suite("Opening leaves the caller's actor free", .timeLimit(.minutes(10))) struct CallerStaysFreeTests {
    @Test("While a storage loads, the actor that opens it does other things") func loading() async throws {
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

    @Test("Loads that wait, more of them than processors, keep no task and no other store waiting") func manyLoads()
        async throws
    {
        let storages = (0..<ProcessInfo.processInfo.activeProcessorCount * 2 + 2).map { _ in FailingStorage() }
        let holds = storages.map { $0.hold(.load) }
        let openings = storages.map { storage in Task { try await SettingsStore.open(storage: storage) } }
        for hold in holds { await hold.waitUntilReached() }
        await Task.detached {}.value
        let other = try await SettingsStore.open(storage: InMemoryStorage())
        try other.setValue(1, forKey: "a")
        try await other.flush()
        for hold in holds { hold.release() }
        for opening in openings { _ = try await opening.value }
    }

    @Test("While another thread writes, the actor that opens a group does other things") func group() async throws {
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
        while !began.isRaised { await Task.yield() }
        #expect(await screen.refresh() == 1)
        gate.open()
        #expect(try await opening.value == 5)
        await writing.value
    }
}

/// An actor with one thread, as the main actor is.
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
