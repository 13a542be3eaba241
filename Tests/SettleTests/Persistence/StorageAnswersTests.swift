import Dispatch
import Settle
import SettleTesting
import Testing

/// What the store makes of each answer that a storage may give.
@Suite(.timeLimit(.minutes(10))) struct StorageAnswersTests {
    private let memory = InMemoryStorage(SettingTree(["count": .integer(10)]))
    private let failing: FailingStorage
    private let recording: RecordingStorage

    init() {
        failing = FailingStorage(memory)
        recording = RecordingStorage(failing)
    }

    private static let noRoom = StorageError(.noSpace, "There is no room.")
    private static let lost = StorageError(.writeFailed, "The answer was lost.", isOutcomeUnknown: true)

    private func open(_ storage: any Storage) async throws -> (SettingsStore, CounterSettings) {
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        return (store, try await store.group(CounterSettings.self))
    }

    @MainActor private static func visit(_ settings: CounterSettings, _ change: (CounterSettings) -> Void) async throws
    {
        try await settings.commit { change(settings) }
    }

    // MARK: Surely not stored

    @Test("A commit that was surely not stored is undone and throws", arguments: [false, true])
    func undone(isVisit: Bool) async throws {
        let (store, settings) = try await open(recording)
        failing.fail(.append, with: Self.noRoom)
        let error = await #expect(throws: SettingsError.self) {
            if isVisit {
                try await Self.visit(settings) { $0.count += 1 }
            } else {
                try await settings.commit {
                    settings.count += 1
                    settings.name = "new"
                }
            }
        }
        #expect(error?.code == .storage && settings.count == 10 && settings.name == CounterSettings().name)
        failing.heal()
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(10)] && store.status == .saved)
        #expect(store.statistics.supersededValues == 0)
        try await settings.commit { settings.count += 1 }
        #expect(memory.tree["count"] == .integer(11))
    }

    @Test("An undone commit leaves what was written before it, which is saved later") func keepsEarlierWrites()
        async throws
    {
        let (store, settings) = try await open(recording)
        failing.fail(.append, with: Self.noRoom)
        settings.count = 20
        settings.other = 2
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        #expect(settings.count == 20 && settings.other == 2)
        failing.heal()
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(20), "other": .integer(2)])
    }

    @Test("A commit that can't be undone at once, because another thread writes, is undone when that ends")
    func undoneLater() async throws {
        let (store, settings) = try await open(recording)
        failing.fail(.append, with: Self.noRoom)
        settings.other = 2
        settings.count = 20
        let (ran, held) = (Flag(), LockedValue<StorageHold?>(nil))
        let commit = Task {
            try await settings.commit {
                held.withLock { $0 = failing.hold(.append) }
                ran.raise()
                settings.count += 1
                settings.other += 1
                settings.name = "new"
            }
        }
        while !ran.isRaised { await Task.yield() }
        let hold = try #require(held.withLock { $0 })
        await hold.waitUntilReached()
        let gate = Gate()
        let writing = Task {
            await onThread {
                try? settings.update {
                    gate.pass()
                    settings.other = 70
                }
            }
        }
        await gate.waitUntilReached()
        hold.release()
        await #expect(throws: SettingsError.self) { try await commit.value }
        gate.open()
        await writing.value
        failing.heal()
        try await store.flush()
        #expect(settings.count == 20 && settings.other == 70 && settings.name == CounterSettings().name)
        #expect(memory.tree.root == ["count": .integer(20), "other": .integer(70)])
    }

    @Test("An undone commit leaves what was written over it") func keepsLaterWrites() async throws {
        let (store, settings) = try await open(recording)
        failing.fail(.append, with: Self.noRoom)
        let hold = failing.hold(.append)
        let commit = Task {
            try await settings.commit {
                settings.count += 1
                settings.other = 2
            }
        }
        await hold.waitUntilReached()
        settings.count = 50
        hold.release()
        await #expect(throws: SettingsError.self) { try await commit.value }
        #expect(settings.count == 50 && settings.other == 0)
        failing.heal()
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(50)])
    }

    @Test("A subscriber sees an undone commit come and go, and no durable change of it") func seesTheUndoing()
        async throws
    {
        let (store, settings) = try await open(recording)
        let (all, durable) = (ChangeRecorder(store.changes), ChangeRecorder(store.changes(.every, durableOnly: true)))
        failing.fail(.append, with: Self.noRoom)
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        failing.heal()
        settings.name = "end"
        try await store.flush()
        let seen = await all.until { $0.last?.mutations.last?.key == "name" }
        #expect(seen.map { $0.mutations.map(\.key) } == [["count"], ["count"], ["name"]])
        let kept = await durable.until { $0.last?.mutations.last?.key == "name" }
        #expect(!kept.contains { $0.mutations.contains { $0.newValue as? Int == 11 } })
    }

    // MARK: Unknown

    @Test("A batch whose answer was lost is repeated at once, as the same batch") func repeated() async throws {
        let (_, settings) = try await open(recording)
        failing.fail(.append, with: Self.lost, count: 1, moment: .after)
        try await settings.commit { settings.count += 1 }
        let batches = recording.calls.compactMap(\.batch).filter { !$0.values.isEmpty }
        #expect(batches.count == 2 && batches[0].id == batches[1].id)
        #expect(memory.tree["count"] == .integer(11) && settings.count == 11)
    }

    @Test("A commit whose answers are lost stands, and the same batch comes first when saving works again")
    func stands() async throws {
        let (store, settings) = try await open(recording)
        failing.fail(.append, with: Self.lost)
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        #expect(settings.count == 11)
        settings.other = 2
        failing.heal()
        try await store.flush()
        let batches = recording.calls.compactMap(\.batch).filter { !$0.values.isEmpty }
        let first = try #require(batches.first)
        let repeated = batches.filter { $0.id == first.id }
        #expect(repeated.count >= 2 && repeated.allSatisfy { $0 == first })
        let later = batches.filter { $0.id != first.id }
        #expect(
            later.allSatisfy { $0.values["count"] == nil }, "What the first batch has is not appended a second time.")
        #expect(memory.tree.root == ["count": .integer(11), "other": .integer(2)])
    }

    // MARK: Conflict

    @Test(
        "Where there is no lock, commits of two stores run again until they fit, and lose nothing",
        arguments: [false, true])
    func runsAgain(isVisit: Bool) async throws {
        let place = InMemoryStorage()
        let stores = [
            try await open(LocklessStorage(InMemoryStorage(sharing: place))),
            try await open(LocklessStorage(InMemoryStorage(sharing: place))),
        ]
        try await withThrowingTaskGroup { group in
            for (_, settings) in stores {
                group.addTask {
                    for _ in 0..<100 {
                        while true {
                            do {
                                if isVisit {
                                    try await Self.visit(settings) { $0.count += 1 }
                                } else {
                                    try await settings.commit { settings.count += 1 }
                                }
                                break
                            } catch let error as SettingsError where Self.isConflict(error) {
                                // Sixteen times in a row the other store was faster.
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(place.tree["count"] == .integer(200))
        for (store, _) in stores { try await store.close() }
    }

    private static func isConflict(_ error: SettingsError) -> Bool {
        (error.underlying as? StorageError)?.code == .conflict
    }

    @Test("A commit that others are always faster than throws in the end, and is undone") func alwaysConflicting()
        async throws
    {
        let place = InMemoryStorage()
        let (store, settings) = try await open(LocklessStorage(InMemoryStorage(sharing: place)))
        let runs = LockedValue(0)
        settings.name = "plain"
        let issues = ChangeRecorder(store.issues)
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit {
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                place.simulateExternalChange(["other": .integer(Int64(run))], by: "B")
                settings.count = run
            }
        }
        #expect(error.map(Self.isConflict) == true && (2...100).contains(runs.withLock { $0 }))
        try await store.flush()
        #expect(settings.count == 0 && place.tree["count"] == nil && place.tree["name"] == .string("plain"))
        #expect(settings.other == runs.withLock { $0 } && store.status == .saved)
        try await store.close()
        #expect(await issues.untilEnd().isEmpty, "A conflict is no failure of the storage.")
    }

    @Test("A commit whose values another save of its round has stored does not run a second time")
    func storedInTheRound() async throws {
        let place = InMemoryStorage()
        var stores: [(SettingsStore, CounterSettings, UrgentSettings)] = []
        for _ in 0..<2 {
            let (store, settings) = try await open(LocklessStorage(InMemoryStorage(sharing: place)))
            stores.append((store, settings, try await store.group(UrgentSettings.self, at: "urgent")))
        }
        let done = LockedValue(0)
        try await withThrowingTaskGroup { group in
            for (index, (_, settings, urgent)) in stores.enumerated() {
                // Each of these is saved at once, also in the middle of a round.
                group.addTask {
                    for number in 1...300 {
                        if index == 0 { urgent.first = number } else { urgent.second = number }
                        await Task.yield()
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<100 where (try? await settings.commit { settings.count += 1 }) != nil {
                            done.withLock { $0 += 1 }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for (store, _, _) in stores { try await store.close() }
        #expect(place.tree["count"] == .integer(Int64(done.withLock { $0 })))
        #expect(place.tree["urgent.first"] == .integer(300) && place.tree["urgent.second"] == .integer(300))
    }

    @Test("A commit that an earlier batch of its round has stored succeeds if the next batch conflicts")
    func storedBeforeConflict() async throws {
        let place = InMemoryStorage()
        let failing = FailingStorage(LocklessStorage(InMemoryStorage(sharing: place)))
        let (store, settings) = try await open(failing)
        let urgent = try await store.group(UrgentSettings.self, at: "urgent")
        let runs = LockedValue(0)
        // While the storage is busy, a commit arrives, and then a value that is saved at once: in the middle of the round.
        var hold = failing.hold(.append)
        settings.name = "first"
        let flush = Task { try await store.flush() }
        await hold.waitUntilReached()
        let queue = QueueOfTasks()
        let commit = Task(executorPreference: queue) {
            try await settings.commit {
                runs.withLock { $0 += 1 }
                settings.count += 1
            }
        }
        await queue.waitUntilIdle()
        urgent.first = 1
        for write in [{ settings.name = "second" }, { place.simulateExternalChange(["other": .integer(5)]) }] {
            let next = failing.hold(.append)
            hold.release()
            await next.waitUntilReached()
            write()
            hold = next
        }
        #expect(place.tree["count"] == .integer(1))
        hold.release()
        try await flush.value
        try await commit.value
        try await store.flush()
        #expect(runs.withLock { $0 } == 1 && settings.count == 1 && settings.other == 5)
        #expect(place.tree["count"] == .integer(1) && place.tree["name"] == .string("second"))
        try await store.close()
    }

    // MARK: Lease lost

    @Test("A commit whose lease has ended is undone and throws, and the next one takes a new lease") func leaseLost()
        async throws
    {
        let storage = RemoteStorage(memory, timeToLive: .seconds(10))
        let (_, settings) = try await open(storage)
        storage.endNextLease()
        let error = await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        #expect((error?.underlying as? StorageError)?.code == .leaseLost && settings.count == 10)
        try await settings.commit { settings.count += 1 }
        #expect(memory.tree["count"] == .integer(11))
    }

    @Test("A named lock with an end is renewed while its closure runs") func renewed() async throws {
        let storage = RemoteStorage(memory, timeToLive: .seconds(9))
        let clock = ManualClock()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        try await store.withLock {
            for round in 1...5 {
                await clock.deadlines { $0.contains { $0.sinceStart <= .seconds(3 * round) } }
                clock.advance(by: .seconds(3))
                while storage.renewals < round { await Task.yield() }
            }
        }
        #expect(storage.renewals >= 5)
    }

    @Test("A named lock that could not be renewed is reported when its closure ends") func lockLost() async throws {
        let storage = RemoteStorage(memory, timeToLive: .seconds(9))
        let clock = ManualClock()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        let error = await #expect(throws: SettingsError.self) {
            try await store.withLock(named: "work") {
                storage.loseLeases()
                await clock.deadlines { !$0.isEmpty }
                clock.advance(by: .seconds(3))
                while await store.holdsLock(named: "work") { await Task.yield() }
            }
        }
        #expect(error?.code == .lockLost && error?.description.contains("work") == true)
        // It can be acquired again.
        storage.keepLeases()
        #expect(try await store.withLock(named: "work") { 1 } == 1)
    }

    @Test("The closure of a lock is cancelled when its lease ends, where its caller runs", arguments: [false, true])
    @MainActor func cancelledClosure(isAnswered: Bool) async throws {
        let storage = RemoteStorage(memory, timeToLive: .seconds(9))
        let clock = ManualClock()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        var isCancelled = false
        let error = await #expect(throws: SettingsError.self) {
            try await store.withLock(named: "work") {
                MainActor.assertIsolated()
                if isAnswered { storage.loseLeases() } else { storage.holdRenewals() }
                await clock.deadlines { !$0.isEmpty }
                clock.advance(by: .seconds(3))
                if !isAnswered {
                    while storage.renewals == 0 { await Task.yield() }
                    clock.advance(by: .seconds(6))
                }
                await Self.waitUntilCancelled()
                isCancelled = Task.isCancelled
                try Task.checkCancellation()
            }
        }
        #expect(error?.code == .lockLost && isCancelled && !Task.isCancelled)
        // What it returns and throws is told as ever.
        storage.keepLeases()
        #expect(try await store.withLock(named: "work") { isCancelled ? 1 : 2 } == 1)
        await #expect(throws: StorageError.self) { try await store.withLock(named: "work") { throw Self.noRoom } }
    }

    private static func waitUntilCancelled() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
        continuation.finish()
    }

    // MARK: Limits

    @Test("A transaction with more keys than the storage takes at once is undone and throws") func tooManyKeys()
        async throws
    {
        let storage = NarrowRemoteStorage(memory, StorageLimits(keys: 2))
        let (store, settings) = try await open(storage)
        let error = #expect(throws: SettingsError.self) {
            try settings.update {
                settings.count = 1
                settings.other = 1
                settings.name = "one"
            }
        }
        #expect(error?.code == .tooManyKeys && settings.count == 10 && settings.other == 0)
        await #expect(throws: SettingsError.self) {
            try await settings.commit {
                settings.count = 1
                settings.other = 1
                settings.name = "one"
            }
        }
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(10)])
    }

    @Test("What waits to be saved is stored in parts that the storage takes, each transaction in one of them")
    func parts() async throws {
        let storage = NarrowRemoteStorage(memory, StorageLimits(keys: 3))
        let (store, _) = try await open(storage)
        for number in 0..<10 {
            try store.update {
                try store.setValue(number, forKey: "a\(number)")
                try store.setValue(number, forKey: "b\(number)")
            }
        }
        try store.setValue(1, forKey: "single")
        try await store.flush()
        #expect(storage.batches.allSatisfy { $0.count <= 3 } && storage.batches.flatMap { $0 }.count == 21)
        for number in 0..<10 {
            let parts = storage.batches.filter { $0.contains(.path("a\(number)")) || $0.contains(.path("b\(number)")) }
            #expect(parts.count == 1, "\(number)")
        }
        #expect(memory.tree.root.count == 22 && store.status == .saved)
    }

    @Test("What others store over a part that was stored counts, also while the rest can't be")
    func partsUnderOthers() async throws {
        let narrow = NarrowRemoteStorage(memory, StorageLimits(keys: 1))
        let storage = FailingStorage(narrow)
        let (store, settings) = try await open(storage)
        storage.fail(.append, with: StorageError(.noSpace, "There is no room."), skipping: 1)
        settings.count = 1
        settings.other = 1
        await #expect(throws: SettingsError.self) { try await store.flush() }
        let stored = try #require(narrow.batches.last?.first)
        memory.simulateExternalChange([stored: .integer(7)])
        storage.heal()
        try await store.flush()
        #expect([settings.count, settings.other].sorted() == [1, 7])
        #expect(memory.tree[stored] == .integer(7))
    }

    @Test("A value larger than a batch may be is refused, and keeps no other one from being saved")
    func tooLarge() async throws {
        let storage = NarrowRemoteStorage(memory, StorageLimits(bytes: 1_000))
        let (store, settings) = try await open(storage)
        settings.name = String(repeating: "x", count: 2_000)
        settings.other = 1
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.code == .encodingFailed && error?.key == "name" && error?.description.contains("1000") == true)
        #expect(memory.tree["other"] == .integer(1))
    }

    @Test("A transaction with more bytes than the storage takes at once is undone and throws, although each value fits")
    func tooManyBytes() async throws {
        let storage = NarrowRemoteStorage(memory, StorageLimits(bytes: 1_000))
        let (store, settings) = try await open(storage)
        let text = String(repeating: "x", count: 600)
        func write() throws {
            settings.name = text
            try store.setValue(text, forKey: "text")
        }
        let error = #expect(throws: SettingsError.self) { try settings.update { try write() } }
        #expect(error?.code == .tooManyBytes && error?.description.contains("1000") == true)
        let committing = await #expect(throws: SettingsError.self) { try await settings.commit { try write() } }
        #expect(committing?.code == .tooManyBytes && settings.name == CounterSettings().name)
        try await store.flush()
        #expect(memory.tree.root == ["count": .integer(10)])
        // One after the other they are no transaction.
        try write()
        try await store.flush()
        #expect(memory.tree.root.count == 3 && store.status == .saved)
    }

    @Test("Transactions that overlap and are too much together are stored one after the other, none in parts")
    func overlappingTransactions() async throws {
        let storage = NarrowRemoteStorage(memory, StorageLimits(keys: 4))
        let (store, _) = try await open(storage)
        for (number, range) in [0...2, 2...4, 4...6, 1...1].enumerated() {
            try store.update { for key in range { try store.setValue(number, forKey: "key\(key)") } }
        }
        try store.update { for key in [6, 7] { try store.setValue(9, forKey: "key\(key)") } }
        try await store.flush()
        #expect(storage.values.allSatisfy { $0.count <= 4 } && store.status == .saved)
        let places = (0...2).map { number in
            storage.values.firstIndex { batch in
                (number * 2...number * 2 + 2).allSatisfy { batch[.path("key\($0)")] != nil }
            }
        }
        let found = places.compactMap(\.self)
        #expect(found.count == 3 && found == found.sorted())
        #expect(storage.values.first?[.path("key2")] == .integer(0))
        let stored = (0...7).map { memory.tree[.path("key\($0)")] }
        #expect(stored == [0, 3, 1, 1, 2, 2, 9, 9].map { SettingValue.integer($0) })
    }

    // MARK: Cost

    @Test("A commit on a remote storage costs three calls: lock, append, unlock") func threeCalls() async throws {
        let recording = RecordingStorage(RemoteStorage(memory))
        let (store, settings) = try await open(recording)
        try await store.flush()
        let before = recording.calls.count
        try await settings.commit { settings.count += 1 }
        let calls = recording.calls.dropFirst(before).map(\.operation)
        #expect(calls.count == 3)
        guard calls.count == 3, case .lockForTransaction = calls[0], case .append(let batch, _) = calls[1],
            case .unlock = calls[2]
        else {
            Issue.record("\(calls)")
            return
        }
        #expect(batch.values == ["count": .integer(11)])
    }

    @Test("A commit on a remote storage without a lock costs one call") func oneCall() async throws {
        let recording = RecordingStorage(LocklessStorage(RemoteStorage(memory)))
        let (store, settings) = try await open(recording)
        try await store.flush()
        let before = recording.calls.count
        try await settings.commit { settings.count += 1 }
        #expect(recording.calls.dropFirst(before).count { $0.batch != nil } == 1)
        #expect(recording.calls.dropFirst(before).filter { !$0.isSave && $0.operation != .lockForTransaction }.isEmpty)
    }

    @Test("While a storage call takes its time, reading, writing and the status do not wait") func nothingWaits()
        async throws
    {
        let (store, settings) = try await open(recording)
        let hold = failing.hold(.append)
        async let commit: Void = settings.commit { settings.count += 1 }
        await hold.waitUntilReached()
        settings.name = "written meanwhile"
        try settings.update { settings.other = 3 }
        #expect(settings.count == 11 && settings.name == "written meanwhile" && store.status != .saved)
        hold.release()
        try await commit
        try await store.flush()
        #expect(
            memory.tree.root == ["count": .integer(11), "name": .string("written meanwhile"), "other": .integer(3)])
    }
}

private struct UrgentSettings: SettingsGroup {
    static let savePolicy = SavePolicy.immediate
    @Setting var first = 0
    @Setting var second = 0
}

extension StorageCall {
    fileprivate var batch: StorageBatch? {
        if case .append(let batch, _) = operation { batch } else { nil }
    }
}

/// A storage in memory with limits, which it enforces.
private final class NarrowRemoteStorage: StorageWrapper {
    let base: any Storage
    let limits: StorageLimits
    private let appended = LockedValue<[[SettingKey: SettingValue?]]>([])

    /// The values of each batch with values.
    var values: [[SettingKey: SettingValue?]] { appended.withLock { $0 } }
    /// Their keys.
    var batches: [Set<SettingKey>] { values.map { Set($0.keys) } }

    init(_ base: InMemoryStorage, _ limits: StorageLimits) {
        self.base = base
        self.limits = limits
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        if let keys = limits.keys, batch.values.count > keys {
            throw StorageError(.writeFailed, "There are \(batch.values.count) keys.")
        }
        if !batch.values.isEmpty { appended.withLock { $0.append(batch.values) } }
        return try await base.append(batch, durability: durability)
    }
}

/// A storage in memory that behaves as a remote one: each call suspends, everything that it has stored is durable, and
/// leases may have an end.
private final class RemoteStorage: StorageWrapper {
    private struct State {
        var endsNextLease = false
        var losesLeases = false
        var holdsRenewals = false
        var renewals = 0
    }

    private let memory: InMemoryStorage
    private let timeToLive: Duration?
    private let state = LockedValue(State())

    var base: any Storage { memory }
    var tree: SettingTree { memory.tree }
    var renewals: Int { state.withLock { $0.renewals } }

    init(_ memory: InMemoryStorage, timeToLive: Duration? = nil) {
        self.memory = memory
        self.timeToLive = timeToLive
    }

    func endNextLease() { state.withLock { $0.endsNextLease = true } }
    func loseLeases() { state.withLock { $0.losesLeases = true } }
    func holdRenewals() { state.withLock { $0.holdsRenewals = true } }
    func keepLeases() { state.withLock { ($0.losesLeases, $0.holdsRenewals) = (false, false) } }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        await Task.yield()
        let hasEnded = state.withLock { state in
            defer { state.endsNextLease = false }
            return state.endsNextLease
        }
        if hasEnded, !batch.conditions.isEmpty { throw StorageError(.leaseLost, "The lease has ended.") }
        return try await memory.append(batch, durability: .synced)
    }

    func lockForTransaction() async throws(StorageError) -> StorageLease? {
        await Task.yield()
        var lease = try await memory.lockForTransaction()
        lease?.timeToLive = timeToLive
        return lease
    }

    func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        await Task.yield()
        var lease = try memory.tryLock(named: name)
        lease?.timeToLive = timeToLive
        return lease
    }

    func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        await Task.yield()
        let isLost = state.withLock { state in
            state.renewals += 1
            return state.losesLeases
        }
        // Not answered before the call is cancelled.
        if state.withLock({ $0.holdsRenewals }) {
            memory.unlock(lease)
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            continuation.finish()
        }
        guard isLost else { return lease }
        memory.unlock(lease)
        throw StorageError(.leaseLost, "The lease has ended.")
    }
}

/// Runs tasks one after the other, and tells when they are suspended.
private final class QueueOfTasks: TaskExecutor {
    private let queue = DispatchQueue(label: "tasks")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
