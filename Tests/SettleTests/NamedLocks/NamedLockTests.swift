import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct NamedLockTests {
    /// Records which tasks hold the lock, and whether two ever did at once.
    final class Room: Sendable {
        private let state = LockedValue((inside: 0, most: 0, visits: [Int]()))

        var most: Int { state.withLock { $0.most } }
        var visits: [Int] { state.withLock { $0.visits } }

        func enter(_ visitor: Int = 0) {
            state.withLock { state in
                state.inside += 1
                state.most = max(state.most, state.inside)
                state.visits.append(visitor)
            }
        }

        func leave() {
            state.withLock { $0.inside -= 1 }
        }
    }

    func waiters(_ store: SettingsStore, atLeast count: Int) async throws {
        try await eventually("\(count) tasks wait for the lock") { await store.lockWaitCount >= count }
    }

    /// Stores of one file, as separate processes would have them.
    func stores(_ count: Int, on disk: SimulatedDisk, clock: any Clock<Duration> = ManualClock()) async throws
        -> [SettingsStore]
    {
        var stores: [SettingsStore] = []
        for _ in 0..<count {
            let storage = FileStorage(at: URL(filePath: "/home/settings.json"), calls: disk)
            stores.append(
                try await SettingsStore.open(storage: storage, configuration: .init(clock: clock)))
        }
        return stores
    }

    // MARK: In one process

    @Test("Only one of many tasks holds the lock at a time, and all of them get it", arguments: [0, 1, 2])
    func manyTasks(kind: Int) async throws {
        let folder = try TemporaryFolder()
        let storage: any Storage =
            switch kind {
            case 0: PlainStorage()
            case 1: InMemoryStorage()
            default: FileStorage(at: folder.url.appending(path: "settings.json"))
            }
        let store = try await SettingsStore.open(storage: storage)
        let room = Room()
        let total = LockedValue(0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    try await store.withLock {
                        room.enter()
                        let seen = total.withLock { $0 }
                        for _ in 0..<5 { await Task.yield() }
                        total.withLock { $0 = seen + 1 }
                        room.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(room.most == 1 && total.withLock { $0 } == 100)
        try await store.close()
    }

    @Test("Tasks get the lock in the order in which they asked") func order() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let (gate, room) = (ManualClock(), Room())
        try await withThrowingTaskGroup { group in
            group.addTask { try await store.withLock { try await gate.sleep(for: .seconds(1)) } }
            await gate.sleepers(atLeast: 1)
            for number in 0..<20 {
                group.addTask { try await store.withLock { room.enter(number) } }
                try await waiters(store, atLeast: number + 1)
            }
            gate.advance(by: .seconds(1))
            try await group.waitForAll()
        }
        #expect(room.visits == Array(0..<20))
    }

    @Test("A time limit may be longer than a clock can measure") func endlessTimeout() async throws {
        let storage = PlainStorage(limits: StorageLimits(time: .seconds(Int64.max)))
        let store = try await SettingsStore.open(storage: storage)
        let gate = ManualClock()
        let holder = Task { try await store.withLock { try await gate.sleep(for: .seconds(1)) } }
        await gate.sleepers(atLeast: 1)
        let waiting = Task { try await store.withLock(timeout: .seconds(Int64.max)) { 7 } }
        try await waiters(store, atLeast: 1)
        gate.advance(by: .seconds(1))
        try await holder.value
        #expect(try await waiting.value == 7)
        try await store.close()
    }

    @Test("Locks with different names are independent") func names() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let value = try await store.withLock(named: "a") {
            try await store.withLock(named: "b") { 7 }
        }
        #expect(value == 7)
    }

    @Test("An invalid name is rejected, and the closure does not run", arguments: ["", "..", "a/b", "a.b", "ü"])
    func invalidName(name: String) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let error = await #expect(throws: SettingsError.self) {
            try await store.withLock(named: name) { Issue.record("it was run") }
        }
        #expect(error?.code == .invalidName && error?.description.contains("“\(name)”") == true)
    }

    @Test("The closure runs on the caller's actor and may use non-Sendable values")
    @MainActor func isolation() async throws {
        final class Counter { var count = 0 }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let counter = Counter()
        let returned = try await store.withLock {
            MainActor.assertIsolated()
            counter.count += 1
            await Task.yield()
            MainActor.assertIsolated()
            return counter
        }
        #expect(returned.count == 1)
    }

    @Test("A waiting task can be cancelled without blocking the tasks behind it")
    func cancelledInLine() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let (gate, room) = (ManualClock(), Room())
        let holder = Task { try await store.withLock { try await gate.sleep(for: .seconds(1)) } }
        await gate.sleepers(atLeast: 1)
        let waiting = (0..<3).map { number in
            Task { try await store.withLock { room.enter(number) } }
        }
        try await waiters(store, atLeast: 3)
        waiting[1].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[1].value }
        gate.advance(by: .seconds(1))
        try await holder.value
        try await waiting[0].value
        try await waiting[2].value
        #expect(room.visits.sorted() == [0, 2])
    }

    @Test("A task that is already cancelled does not get the lock") func cancelledBefore() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.withLock { Issue.record("it was run") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await store.withLock {}
    }

    @Test("A task that is cancelled while holding the lock keeps it until its closure ends")
    func cancelledInside() async throws {
        let disk = SimulatedDisk()
        let stores = try await stores(2, on: disk)
        let (gate, room) = (ManualClock(), Room())
        let holder = Task {
            try await stores[0].withLock {
                room.enter()
                try? await gate.sleep(for: .seconds(1))
                let isTaken = try FileStorage.isReserved("default", on: disk)
                room.leave()
                return isTaken
            }
        }
        await gate.sleepers(atLeast: 1)
        holder.cancel()
        #expect(try await holder.value)
        #expect(try !FileStorage.isReserved("default", on: disk))
    }

    @Test("A closure that throws releases the lock") func throwing() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for number in 1...2 {
            let error = await #expect(throws: TestFailure.self) {
                try await store.withLock { throw TestFailure(number: number) }
            }
            #expect(error?.number == number)
        }
    }

    // MARK: Nesting

    @Test("Asking for a lock that the task already holds throws, even in a child task") func nested() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let ask: @Sendable () async -> SettingsError? = {
            await #expect(throws: SettingsError.self) {
                try await store.withLock(named: "a") { Issue.record("it was run") }
            }
        }
        try await store.withLock(named: "a") {
            let error = await ask()
            #expect(error?.code == .nestedLock && error?.description.contains("“a”") == true)
            async let child = ask()
            #expect(await child?.code == .nestedLock)
            try await store.withLock(named: "b") { _ = await ask() }
        }
        try await store.withLock(named: "a") {}
    }

    @Test("Two stores have separate locks") func otherStore() async throws {
        let first = try await SettingsStore.open(storage: InMemoryStorage())
        let second = try await SettingsStore.open(storage: InMemoryStorage())
        let value = try await first.withLock { try await second.withLock { 3 } }
        #expect(value == 3)
    }

    @Test("A task started inside the closure can take the lock once the closure has ended")
    func startedInside() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let gate = ManualClock()
        let task = try await store.withLock {
            Task {
                try await gate.sleep(for: .seconds(1))
                return try await store.withLock { 5 }
            }
        }
        await gate.sleepers(atLeast: 1)
        gate.advance(by: .seconds(1))
        #expect(try await task.value == 5)
    }

    // MARK: Failures and closing

    @Test("A storage that can't be read fails the call, and the lock is free again")
    func storageReadFails() async throws {
        let failing = FailingStorage(InMemoryStorage())
        let store = try await SettingsStore.open(storage: failing)
        // The store asks once when it is opened, which comes before this.
        try await store.flush()
        failing.fail(.changes, with: StorageError(.unavailable, "Nobody answers."), count: 1)
        let error = await #expect(throws: SettingsError.self) {
            try await store.withLock { Issue.record("it was run") }
        }
        #expect(error?.description == "Nobody answers.")
        try await store.withLock {}
        try await store.close()
    }

    @Test("A storage that can't reserve the name fails the call, and the closure does not run")
    func failingStorage() async throws {
        let failing = FailingStorage()
        let store = try await SettingsStore.open(storage: failing)
        failing.fail(.namedLock, with: StorageError(.permissionDenied, "“a.lock” can't be locked."), count: 1)
        let error = await #expect(throws: SettingsError.self) {
            try await store.withLock { Issue.record("it was run") }
        }
        #expect(error?.code == .storage && error?.description == "“a.lock” can't be locked.")
        try await store.withLock {}
    }

    @Test("The error names a lock file that can't be created") func failingFile() async throws {
        let fixture = try FileStorageFixture()
        let store = try await SettingsStore.open(storage: fixture.storage())
        fixture.calls.fail(every: .create, with: .readOnlyFileSystem)
        let error = await #expect(throws: SettingsError.self) {
            try await store.withLock(named: "mine") { Issue.record("it was run") }
        }
        #expect(error?.description.contains("\(fixture.folder.path)/.settings.json.mine.lock”") == true)
        #expect((error?.underlying as? StorageError)?.code == .permissionDenied)
        fixture.calls.heal()
        try await store.withLock(named: "mine") {}
        try await store.close()
    }

    @Test("A closed store gives out no lock") func closed() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        try await store.close()
        let error = await #expect(throws: SettingsError.self) {
            try await store.withLock { Issue.record("it was run") }
        }
        #expect(error?.code == .closed)
    }

    @Test("A lock that the storage grants while the store closes is released, and the closure does not run")
    func grantedWhileClosing() async throws {
        let late = LateStorage()
        let recording = RecordingStorage(late)
        let store = try await SettingsStore.open(storage: recording)
        let asking = Task { try await store.withLock { _ = Issue.record("it was run") } }
        await late.gate.sleepers(atLeast: 1)
        try await store.close()
        late.gate.advance(by: .seconds(1))
        let error = await #expect(throws: SettingsError.self) { try await asking.value }
        #expect(error?.code == .closed)
        let calls = recording.calls.map(\.operation)
        #expect(calls.contains { if case .unlock(let lease) = $0 { lease.name == "default" } else { false } })
        #expect(calls.count { $0 == .close } == 1)
    }

    @Test("Closing a store fails its waiting tasks, while the holder keeps the lock until its closure ends")
    func closing() async throws {
        let disk = SimulatedDisk()
        let stores = try await stores(2, on: disk)
        let (gate, room) = (ManualClock(), Room())
        let holder = Task {
            try await stores[0].withLock { try await gate.sleep(for: .seconds(1)) }
        }
        await gate.sleepers(atLeast: 1)
        let inLine = Task { try await stores[0].withLock { room.enter() } }
        try await waiters(stores[0], atLeast: 1)
        let asking = Task { try await stores[1].withLock { room.enter() } }
        try await waiters(stores[1], atLeast: 1)
        for (store, task) in zip(stores, [inLine, asking]) {
            try await store.close()
            let error = await #expect(throws: SettingsError.self) { try await task.value }
            #expect(error?.code == .closed)
        }
        #expect(try FileStorage.isReserved("default", on: disk))
        gate.advance(by: .seconds(1))
        try await holder.value
        #expect(try !FileStorage.isReserved("default", on: disk))
        #expect(disk.openFileCount == 0)
        #expect(room.visits.isEmpty)
    }
}

extension FileStorage {
    /// Whether another storage holds the name.
    fileprivate static func isReserved(_ name: String, on disk: SimulatedDisk) throws -> Bool {
        let storage = FileStorage(at: URL(filePath: "/home/settings.json"), calls: disk)
        defer { storage.close() }
        _ = try storage.load()
        return try !storage.lock(named: name)
    }
}

/// A storage whose answer to a request for a named lock comes once a test lets it.
private struct LateStorage: StorageWrapper {
    let base: any Storage = InMemoryStorage()
    let gate = ManualClock()

    func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        let lease = try await shared?.tryLock(named: name)
        // The task that asks is not cancelled.
        try? await gate.sleep(for: .seconds(1))
        return lease
    }
}

/// A storage that no other process shares, so that it has nothing to lock.
private struct PlainStorage: Storage {
    var limits = StorageLimits()

    func close() {}

    func load() throws(StorageError) -> StorageContents { StorageContents(outcome: .absent) }
    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) -> StorageReceipt {
        StorageReceipt(position: StoragePosition(0), durability: .synced)
    }
}
