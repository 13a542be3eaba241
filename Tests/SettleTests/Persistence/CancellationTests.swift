import Dispatch
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Tasks cancelled while they wait for a store.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct CancellationTests {
    private func cancelled(_ body: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
        Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await body()
        }
    }

    @MainActor private static func visit(_ settings: CounterSettings, _ ran: Flag) async throws {
        try await settings.commit {
            ran.raise()
            settings.other = 1
        }
    }

    @Test("A commit waiting for a writer ends when its task is cancelled, and its closure never runs")
    func waitingForWriter() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        for isVisit in [false, true] {
            let (gate, ran) = (Gate(), Flag())
            async let writer: Void = onThread { try? settings.update { gate.pass() } }
            await gate.waitUntilReached()
            let commits = (0..<20).map { number in
                Task {
                    if isVisit {
                        try await Self.visit(settings, ran)
                    } else {
                        try await settings.commit {
                            ran.raise()
                            settings.count = number
                        }
                    }
                }
            }
            for _ in 0..<100 { await Task.yield() }
            for commit in commits { commit.cancel() }
            for commit in commits { await #expect(throws: CancellationError.self) { try await commit.value } }
            gate.open()
            await writer
            try await settings.commit { settings.name += "x" }
            #expect(!ran.isRaised && settings.count == 0 && settings.other == 0)
        }
    }

    @Test(
        "A commit of a group can be cancelled by another closure of the group, and its own never runs",
        arguments: [false, true])
    func behindAnotherClosure(isVisit: Bool) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let (gate, ran, later) = (Gate(), Flag(), LockedValue<Task<Void, any Error>?>(nil))
        async let writer: Void = onThread { try? settings.update { gate.pass() } }
        await gate.waitUntilReached()
        let first = Task {
            try await settings.commit {
                later.withLock { $0 }?.cancel()
                settings.count = 1
            }
        }
        try await eventually("one transaction waits") { await store.core.persister.transactions.waiting.count >= 1 }
        let second = Task {
            if isVisit { try await Self.visit(settings, ran) } else { try await settings.commit { ran.raise() } }
        }
        later.withLock { $0 = second }
        try await eventually("two transactions wait") { await store.core.persister.transactions.waiting.count >= 2 }
        gate.open()
        await writer
        try await first.value
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(!ran.isRaised && settings.count == 1)
        try await store.close()
    }

    @Test("A commit or flush waiting for the storage ends when its task is cancelled; writes are still saved")
    func waitingForStorage() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let (hold, ran) = (failing.hold(.append), Flag())
        settings.count = 1
        await hold.waitUntilReached()
        let flush = Task { try await store.flush() }
        let commit = Task { try await settings.commit { ran.raise() } }
        for _ in 0..<100 { await Task.yield() }
        flush.cancel()
        commit.cancel()
        await #expect(throws: CancellationError.self) { try await flush.value }
        await #expect(throws: CancellationError.self) { try await commit.value }
        hold.release()
        try await store.flush()
        #expect(!ran.isRaised && recording.batches.map(\.values) == [["count": .integer(1)]])
    }

    @Test("A reload that waits for a writer returns after it, or when its task is cancelled", arguments: [false, true])
    func reloading(isCancelled: Bool) async throws {
        let memory = InMemoryStorage()
        let (store, settings) = try await CounterSettings.open(on: memory)
        let (persister, gate) = (store.core.persister, Gate())
        async let writer: Void = onThread { try? settings.update { gate.pass() } }
        await gate.waitUntilReached()
        memory.simulateExternalChange(["count": .integer(5)])
        let reload = Task { try await store.reload() }
        try await eventually("the reload waits") { await persister.transactions.deliveries.count == 1 }
        if isCancelled {
            reload.cancel()
            await #expect(throws: CancellationError.self) { try await reload.value }
            gate.open()
        } else {
            gate.open()
            try await reload.value
            #expect(settings.count == 5)
        }
        await writer
        try await store.close()
    }

    @Test("Cancelled calls leave nothing behind while a storage does not answer") func manyCalls() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let hold = failing.hold(.append)
        settings.count = 1
        await hold.waitUntilReached()
        let works = store.core.persister.works
        let before = works.count
        for round in 0..<30 {
            let task = Task {
                switch round % 3 {
                case 0: try await store.flush()
                case 1: try await settings.commit { settings.count = 2 }
                default: try await settings.commitOnMainActor { $0.count = 2 }
                }
            }
            try await eventually("the call waits") { works.count > before }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(works.count == before)
        }
        hold.release()
        try await store.close()
        #expect(settings.count == 1)
    }

    @Test("An actor's commit cancelled while the storage is being locked leaves nothing behind")
    func visitWaitingForStorage() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let (hold, ran) = (failing.hold(.lock), Flag())
        let commit = Task { try await Self.visit(settings, ran) }
        await hold.waitUntilReached()
        commit.cancel()
        await #expect(throws: CancellationError.self) { try await commit.value }
        hold.release()
        try await settings.commit { settings.count = 1 }
        try await store.file.flush()
        #expect(!ran.isRaised && settings.count == 1)
        try await store.close()
    }

    @Test("An actor's commit cancelled while the actor is busy does not run its closure")
    func visitOfBusyActor() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let (queue, gate, ran, hold) = (QueueActor(), Gate(), Flag(), failing.hold(.lock))
        let commit = Task { try await queue.commit(settings, ran, blockedBy: gate) }
        await hold.waitUntilReached()
        await gate.waitUntilReached()
        hold.release()
        // The storage is locked for the commit, whose actor is blocked.
        try await eventually("the transaction has begun") { await !store.core.persister.group.visitors.isEmpty }
        commit.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await commit.value }
        #expect(!ran.isRaised)
        try await settings.commit { settings.count = 1 }
    }

    @Test("A call in a cancelled task starts nothing")
    func before() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        let ran = Flag()
        let tasks = [
            cancelled { try await store.flush() },
            cancelled { try await settings.commit { ran.raise() } },
            cancelled { try await Self.visit(settings, ran) },
            cancelled { try await store.withLock { ran.raise() } },
        ]
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(!ran.isRaised)
        try await settings.commit { settings.count = 1 }
    }

    @Test("A commit whose closure has run finishes even if its task is cancelled")
    func after() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        for isVisit in [false, true] {
            let hold = failing.hold(.append)
            let ran = Flag()
            let commit = Task {
                if isVisit {
                    try await Self.visit(settings, ran)
                } else {
                    try await settings.commit { settings.count = 7 }
                }
            }
            await hold.waitUntilReached()
            commit.cancel()
            hold.release()
            try await commit.value
            #expect(store.status == .saved)
        }
        #expect(recording.batches.map(\.values) == [["count": .integer(7)], ["other": .integer(1)]])
    }

    @Test("A commit cancelled while it runs is undone if others were faster, and does not run again")
    func overtaken() async throws {
        let place = InMemoryStorage()
        let (store, settings) = try await CounterSettings.open(
            on: LocklessStorage(InMemoryStorage(sharing: place)))
        let (gate, runs) = (Gate(), LockedValue(0))
        let commit = Task {
            try await settings.commit {
                let isFirst = runs.withLock { runs in
                    runs += 1
                    return runs == 1
                }
                if isFirst { gate.pass() }
                settings.count = 1
            }
        }
        await gate.waitUntilReached()
        place.simulateExternalChange(["other": .integer(1)])
        commit.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await commit.value }
        #expect(runs.withLock { $0 } == 1 && settings.count == 0 && place.tree["count"] == nil)
        try await store.close()
    }

    @Test("A commit cancelled at any moment has either run and is saved, or has not run")
    func anyMoment() async throws {
        let memory = InMemoryStorage()
        let store = try await SettingsStore.open(storage: memory)
        let settings = try await store.group(CounterSettings.self)
        var expected = 0
        for round in 0..<500 {
            let isVisit = round % 2 == 0
            let commit = Task {
                if isVisit {
                    try await Self.increment(settings)
                } else {
                    try await settings.commit { settings.count += 1 }
                }
            }
            for _ in 0..<(round % 7) { await Task.yield() }
            commit.cancel()
            do {
                try await commit.value
                expected += 1
                #expect(memory.tree["count"] == .integer(Int64(expected)))
            } catch {
                #expect(error is CancellationError)
            }
            #expect(settings.count == expected)
        }
    }

    @MainActor private static func increment(_ settings: CounterSettings) async throws {
        try await settings.commit { settings.count += 1 }
    }

    @Test("run() and close() in a cancelled task save everything")
    func atEnd() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        try await cancelled { try await store.run() }.value
        #expect(recording.batches.map(\.values) == [["count": .integer(1)]] && store.status == .saved)
        settings.count = 2
        try await cancelled { try await store.close() }.value
        #expect(recording.batches.last?.values == ["count": .integer(2)])
    }
}

/// An actor with its own thread, which may be blocked.
private actor QueueActor {
    private let executor = QueueExecutor(label: "test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func commit(_ settings: CounterSettings, _ ran: Flag, blockedBy gate: Gate) async throws {
        // Runs on the thread as soon as the commit waits.
        executor.queue.async { gate.pass() }
        try await settings.commit {
            ran.raise()
            settings.other = 1
        }
    }
}
