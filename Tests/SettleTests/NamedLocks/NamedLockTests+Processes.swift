import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Locks among several stores of one file, as separate processes have them, and time-outs.
extension NamedLockTests {
    @Test("A held lock does not block writes and commits") func writers() async throws {
        let disk = SimulatedDisk()
        let stores = try await stores(2, on: disk)
        let groups = [
            try await stores[0].group(CounterSettings.self), try await stores[1].group(CounterSettings.self),
        ]
        try await stores[0].withLock {
            try await groups[0].commit { groups[0].count += 1 }
            try await groups[1].commit { groups[1].count += 1 }
            #expect(groups[1].count == 2)
            groups[1].name = "x"
            try await stores[1].flush()
        }
        for store in stores { try await store.close() }
    }

    @Test("The next holder reads what the last one has committed") func nextHolderReads() async throws {
        let stores = try await stores(2, on: SimulatedDisk())
        let groups = [
            try await stores[0].group(CounterSettings.self), try await stores[1].group(CounterSettings.self),
        ]
        for round in 0..<10 {
            let (store, group) = (stores[round % 2], groups[round % 2])
            try await store.withLock {
                #expect(group.count == round)
                try await group.commit { group.count = round + 1 }
            }
        }
        for store in stores { try await store.close() }
    }

    @Test("A writer of this process delays the holder until what others have stored is in force")
    func writerThisProcess() async throws {
        let stores = try await stores(2, on: SimulatedDisk(), clock: ContinuousClock())
        let groups = [
            try await stores[0].group(CounterSettings.self), try await stores[1].group(CounterSettings.self),
        ]
        for round in 0..<50 {
            try await groups[0].commit { groups[0].count = round }
            let writing = Task.detached {
                for number in 0..<20 { try stores[1].update { groups[1].name = "\(round).\(number)" } }
            }
            try await stores[1].withLock { #expect(groups[1].count == round) }
            try await writing.value
        }
        for store in stores { try await store.close() }
    }

    // MARK: Several processes

    @Test("A lock that another process holds is given up at the time-out") func lockAnotherProcess() async throws {
        let disk = SimulatedDisk()
        let clock = ManualClock()
        let (holder, store) = (try await stores(1, on: disk)[0], try await stores(1, on: disk, clock: clock)[0])
        let gate = ManualClock()
        let holding = Task { try await holder.withLock { try await gate.sleep(for: .seconds(1)) } }
        await gate.sleepers(atLeast: 1)
        let asking = Task { try await store.withLock(timeout: .seconds(5)) { Issue.record("It has the lock.") } }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: SettingsError.self) { try await asking.value }
        #expect(error?.code == .lockTimedOut)
        #expect(error?.description.contains("within 5.0 seconds: another process holds it") == true)
        #expect(await store.lockWaitCount == 0)
        gate.advance(by: .seconds(1))
        try await holding.value
        try await store.withLock(timeout: .seconds(5)) {}
        await clock.deadlines(when: \.isEmpty)
    }

    /// A task that holds a lock for a second of the gate's time, and one that waits 5 s of the store's for it.
    private func holdingAndAsking(
        _ clock: ManualClock, _ gate: ManualClock
    ) async throws -> (Task<Void, any Error>, Task<Void, any Error>) {
        let store = try await stores(1, on: SimulatedDisk(), clock: clock)[0]
        let holding = Task { try await store.withLock { try await gate.sleep(for: .seconds(1)) } }
        await gate.sleepers(atLeast: 1)
        let asking = Task { try await store.withLock(timeout: .seconds(5)) {} }
        try await waiters(store, atLeast: 1)
        return (holding, asking)
    }

    @Test("A lock that another task holds is given up at the time-out, and says so")
    func lockAnotherTask() async throws {
        let (clock, gate) = (ManualClock(), ManualClock())
        let (holding, asking) = try await holdingAndAsking(clock, gate)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: SettingsError.self) { try await asking.value }
        #expect(error?.code == .lockTimedOut && error?.description.contains("another task of this process") == true)
        gate.advance(by: .seconds(1))
        try await holding.value
    }

    @Test("A task that is cancelled before the time-out throws that it was cancelled") func taskCancelledBefore()
        async throws
    {
        let (clock, gate) = (ManualClock(), ManualClock())
        let (holding, asking) = try await holdingAndAsking(clock, gate)
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        gate.advance(by: .seconds(1))
        try await holding.value
    }

    @Test("A name held by another process is retried at growing intervals on the store's clock")
    func polling() async throws {
        let disk = SimulatedDisk()
        let clock = ManualClock()
        let holder = try await stores(1, on: disk)[0]
        let store = try await stores(1, on: disk, clock: clock)[0]
        let gate = ManualClock()
        let holding = Task { try await holder.withLock { try await gate.sleep(for: .seconds(1)) } }
        await gate.sleepers(atLeast: 1)
        let room = Room()
        let asking = Task { try await store.withLock { room.enter() } }
        var now = Duration.zero
        for pause in [1, 2, 4, 8, 16, 20, 20].map(Duration.milliseconds) {
            let due = now + pause
            await clock.deadlines { $0.map(\.sinceStart) == [due] }
            clock.advance(by: pause)
            now = due
        }
        await clock.deadlines { $0.count == 1 }
        gate.advance(by: .seconds(1))
        try await holding.value
        #expect(room.visits.isEmpty)
        clock.advance(by: .milliseconds(20))
        try await asking.value
        #expect(room.visits == [0])
    }

    @Test("A task waiting for another process can be cancelled") func cancelledWhilePolling() async throws {
        let disk = SimulatedDisk()
        let stores = try await stores(2, on: disk)
        let gate = ManualClock()
        let holding = Task { try await stores[0].withLock { try await gate.sleep(for: .seconds(1)) } }
        await gate.sleepers(atLeast: 1)
        let asking = Task { try await stores[1].withLock { Issue.record("it was run") } }
        let behind = Task { try await stores[1].withLock { 4 } }
        try await waiters(stores[1], atLeast: 2)
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        // Now the next task in the queue waits for the other process.
        try await waiters(stores[1], atLeast: 1)
        gate.advance(by: .seconds(1))
        try await holding.value
        behind.cancel()
        await #expect(throws: CancellationError.self) { try await behind.value }
        #expect(try await stores[1].withLock { 6 } == 6)
    }

    @Test("Only one task across several stores of a file holds the lock at a time, over many rounds")
    func manyRounds() async throws {
        let folder = try TemporaryFolder()
        let room = Room()
        let total = LockedValue(0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                let storage = FileStorage(at: folder.url.appending(path: "settings.json"))
                let store = try await SettingsStore.open(storage: storage)
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<50 {
                            try await store.withLock {
                                room.enter()
                                let seen = total.withLock { $0 }
                                await Task.yield()
                                total.withLock { $0 = seen + 1 }
                                room.leave()
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(room.most == 1 && total.withLock { $0 } == 300)
    }

    @Test("A process that dies releases its lock") func death() async throws {
        let fixture = try FileStorageFixture()
        let dying = try await SettingsStore.open(storage: fixture.storage())
        let clock = ManualClock()
        let store = try await SettingsStore.open(
            storage: FileStorage(at: fixture.file), configuration: .init(clock: clock))
        let gate = ManualClock()
        let holding = Task { try await dying.withLock { try await gate.sleep(for: .seconds(1)) } }
        await gate.sleepers(atLeast: 1)
        let asking = Task { try await store.withLock { 8 } }
        await clock.sleepers(atLeast: 1)
        fixture.calls.endProcess()
        // Repeatedly, because a process that another test is starting may share the descriptors for a moment.
        try await eventually("the lock is taken", advancing: clock, by: .milliseconds(20)) {
            await store.lockWaitCount == 0
        }
        #expect(try await asking.value == 8)
        holding.cancel()
        _ = await holding.result
    }
}
