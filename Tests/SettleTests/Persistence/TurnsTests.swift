import Dispatch
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// A thread that waits for the writer lock gets it, and holds nothing that others need while it waits.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct TurnsTests {
    @Test("Commits and external changes get their turn between threads of back-to-back updates")
    func busyWriters() async throws {
        let memory = InMemoryStorage()
        let store = try await SettingsStore.open(storage: memory)
        let settings = try await store.group(CounterSettings.self)
        let end = Flag()
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    await onThread {
                        while !end.isRaised { try? settings.update { for _ in 0..<500 { settings.other += 1 } } }
                    }
                }
            }
            group.addTask {
                for round in 1...20 {
                    _ = try? await settings.commit { settings.count = round }
                    memory.simulateExternalChange(["name": .string("\(round)")])
                    for await name in settings.$name where name == "\(round)" { break }
                    try? await Self.visit(settings)
                }
                end.raise()
            }
        }
        #expect(settings.count == 20 && settings.table["visits"] == 20 && settings.name == "20")
    }

    @MainActor private static func visit(_ settings: CounterSettings) async throws {
        try await settings.commit { settings.table["visits", default: 0] += 1 }
    }

    @Test("Changes that come during each append leave one piece of work, not one each")
    func pilesOfWork() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(ImmediateSettings.self)
        var hold = failing.hold(.append)
        settings.urgent = 1
        for number in 2...20 {
            await hold.waitUntilReached()
            settings.urgent = number
            #expect(store.core.persister.works.count == 1)
            let next = failing.hold(.append)
            hold.release()
            hold = next
        }
        hold.release()
        try await store.close()
    }

    @Test("Signals that come during a fetch leave one piece of work, not one each") func pilesOfSignals() async throws {
        let memory = InMemoryStorage()
        let failing = FailingStorage(memory)
        let store = try await SettingsStore.open(storage: failing)
        let settings = try await store.group(CounterSettings.self)
        let hold = failing.hold(.changes)
        memory.simulateExternalChange(["count": .integer(1)])
        await hold.waitUntilReached()
        for number: Int64 in 2...20 { memory.simulateExternalChange(["count": .integer(number)]) }
        #expect(store.core.persister.works.count == 1)
        hold.release()
        for await count in settings.$count where count == 20 { break }
        try await store.close()
    }

    @Test("While a commit waits for a writer, it does not lock the storage", arguments: [false, true])
    func unlocked(isVisit: Bool) async throws {
        let storage = LockTellingStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        let gate = Gate()
        async let writer: Void = onThread { try? settings.update { gate.pass() } }
        await gate.waitUntilReached()
        async let commit: Void = isVisit ? Self.visit(settings) : settings.commit { settings.count = 1 }
        try await eventually("the storage is unlocked again") { storage.count > 0 && !storage.isLocked }
        for _ in 0..<20 {
            #expect(!storage.isLocked)
            try await onThread { Result { try store.flushAndWait() } }.get()
        }
        gate.open()
        await writer
        try await commit
        #expect(settings.count == 1 || settings.table["visits"] == 1)
        #expect(!storage.isLocked)
    }

    @Test("A store that waits for a writer again and again polls its lock once at a time") func polls() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let (persister, lock) = (store.core.persister, RecursiveLock())
        let isScheduled = await persister.perform { persister in
            persister.awaitHandOff(of: lock)
            return !persister.transactions.schedulePoll()
        }
        #expect(isScheduled)
        try await eventually("the poll has ended") { await persister.perform { $0.transactions.schedulePoll() } }
        try await store.close()
    }

    @Test("A wanted lock is granted while other threads take it again and again")
    func turns() async {
        let lock = RecursiveLock()
        let end = Flag()
        let granted = LockedValue(0)
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    await onThread {
                        while !end.isRaised {
                            lock.lock()
                            lock.unlock()
                        }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    await onThread {
                        for _ in 0..<500 {
                            let told = DispatchSemaphore(value: 0)
                            lock.requestHandOff { told.signal() }
                            told.wait()
                            guard lock.tryLock(within: .seconds(60)) else { continue }
                            granted.withLock { $0 += 1 }
                            lock.unlock()
                        }
                    }
                }
            }
            // Those that ask end first.
            for _ in 0..<2 { await group.next() }
            end.raise()
        }
        #expect(granted.withLock { $0 } == 1_000)
    }

    @Test("A turn that is never taken ends by itself, and leaves the lock free")
    func unusedTurn() async {
        let lock = RecursiveLock()
        for _ in 0..<10 {
            await onThread {
                lock.lock()
                lock.requestHandOff {}
                lock.unlock()
                lock.lock()
                lock.unlock()
            }
            let isFree = await onThread {
                guard lock.tryLock() else { return false }
                lock.unlock()
                return true
            }
            #expect(isFree)
        }
    }

    @Test(
        "Writing two stores inside each other in opposite orders stops the program instead of hanging"
    )
    func oppositeOrders() async throws {
        await #expect(processExitsWith: .failure) {
            let groups = [
                try await SettingsStore.open(storage: InMemoryStorage()).group(CounterSettings.self),
                try await SettingsStore.open(storage: InMemoryStorage()).group(CounterSettings.self),
            ]
            let arrived = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
            await withTaskGroup { group in
                for number in 0..<2 {
                    group.addTask {
                        await onThread {
                            try? groups[number].update {
                                arrived[number].signal()
                                arrived[1 - number].wait()
                                groups[1 - number].count += 1
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("Writing three stores inside each other in a circle stops the program too")
    func circle() async throws {
        await #expect(processExitsWith: .failure) {
            var groups: [CounterSettings] = []
            for _ in 0..<3 {
                groups.append(try await SettingsStore.open(storage: InMemoryStorage()).group(CounterSettings.self))
            }
            let arrived = (0..<3).map { _ in DispatchSemaphore(value: 0) }
            await withTaskGroup { [groups] group in
                for number in 0..<3 {
                    group.addTask {
                        let next = (number + 1) % 3
                        await onThread {
                            try? groups[number].update {
                                arrived[number].signal()
                                arrived[next].wait()
                                groups[next].count += 1
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("A thread that once waited for a store and went on does not count as waiting")
    func earlierWaits() async throws {
        await #expect(processExitsWith: .success) {
            let first = try await SettingsStore.open(storage: InMemoryStorage()).group(CounterSettings.self)
            let second = try await SettingsStore.open(storage: InMemoryStorage()).group(CounterSettings.self)
            let (firstTaken, secondTaken) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            // Usually long enough for the other thread to start waiting.
            let linger: @Sendable () -> Void = { for _ in 0..<200 { yieldThread() } }
            async let one: Void = onThread {
                for _ in 0..<50 {
                    secondTaken.wait()
                    second.count += 1
                    try? first.update {
                        firstTaken.signal()
                        linger()
                    }
                }
            }
            async let other: Void = onThread {
                for _ in 0..<50 {
                    try? second.update {
                        secondTaken.signal()
                        linger()
                    }
                    firstTaken.wait()
                    try? second.update { first.count += 1 }
                }
            }
            _ = await (one, other)
            guard first.count == 50, second.count == 50 else { fatalError("Writes are lost.") }
        }
    }

    @Test("Stores written inside each other in one order wait for each other")
    func oneOrder() async throws {
        let (outer, inner) = (
            try await SettingsStore.open(storage: InMemoryStorage()).group(CounterSettings.self),
            try await SettingsStore.open(storage: InMemoryStorage()).group(CounterSettings.self)
        )
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask {
                    await onThread {
                        for _ in 0..<2_000 {
                            if number == 0 { inner.count += 1 } else { try? outer.update { inner.count += 1 } }
                        }
                    }
                }
            }
        }
        #expect(inner.count == 8_000)
    }
}

/// A storage that tells whether it is locked, and how often it has been.
private final class LockTellingStorage: StorageWrapper {
    let base: any Storage = InMemoryStorage()
    private let locks = LockedValue((count: 0, isLocked: false))

    var count: Int { locks.withLock { $0.count } }
    var isLocked: Bool { locks.withLock { $0.isLocked } }

    func lockForTransaction() async throws(StorageError) -> StorageLease? {
        let lease = try await shared?.lockForTransaction()
        locks.withLock { $0 = ($0.count + 1, true) }
        return lease
    }

    func unlock(_ lease: StorageLease) async {
        locks.withLock { $0.isLocked = false }
        await shared?.unlock(lease)
    }
}
