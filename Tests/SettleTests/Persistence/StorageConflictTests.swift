import Dispatch
import Settle
import SettleTesting
import Testing

/// What the store makes of a storage that others have changed meanwhile.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct StorageConflictTests {
    @Test(
        "Where there is no lock, commits of two stores run again until they fit, and lose nothing",
        arguments: [false, true])
    func runsAgain(isVisit: Bool) async throws {
        let place = InMemoryStorage()
        let stores = [
            try await CounterSettings.open(
                on: LocklessStorage(InMemoryStorage(sharing: place)), clock: ContinuousClock()),
            try await CounterSettings.open(
                on: LocklessStorage(InMemoryStorage(sharing: place)), clock: ContinuousClock()),
        ]
        try await withThrowingTaskGroup { group in
            for (_, settings) in stores {
                group.addTask {
                    for _ in 0..<100 {
                        if isVisit {
                            try await settings.commitOnMainActor { $0.count += 1 }
                        } else {
                            try await settings.commit { settings.count += 1 }
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
        let clock = ManualClock()
        let (store, settings) = try await CounterSettings.open(
            on: LocklessStorage(InMemoryStorage(sharing: place)), clock: clock)
        let runs = LockedValue(0)
        settings.name = "plain"
        // Before each run but the first two it waits, longer and longer, and at least for ten seconds in all.
        let pauses = Task {
            var total = Duration.zero
            while !Task.isCancelled {
                if let next = clock.deadlines.map(\.sinceStart).min(), next - clock.now.sinceStart <= .milliseconds(100)
                {
                    total += next - clock.now.sinceStart
                    clock.advance(by: next - clock.now.sinceStart)
                }
                await Task.yield()
            }
            return total
        }
        let issues = ChangeRecorder(store.issues)
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit {
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                place.simulateExternalChange(["other": .integer(Int64(run))], author: "B")
                settings.count = run
            }
        }
        pauses.cancel()
        #expect((.seconds(10)...Duration.seconds(11)).contains(await pauses.value))
        let count = runs.withLock { $0 }
        #expect(error.map(Self.isConflict) == true && (100...1_000).contains(count))
        #expect(error?.code == .tooManyConflicts && error?.description.contains("ran \(count) times") == true)
        try await store.flush()
        #expect(settings.count == 0 && place.tree["count"] == nil && place.tree["name"] == .string("plain"))
        #expect(settings.other == runs.withLock { $0 } && store.status == .saved)
        try await store.close()
        #expect(await issues.untilEnd().isEmpty, "A conflict is no failure of the storage.")
    }

    @Test(
        "Without a lock a commit that changes nothing has read what is newest, and fails while nobody can say so",
        arguments: [false, true])
    func reading(isVisit: Bool) async throws {
        let place = InMemoryStorage()
        // The news of the other one does not arrive by itself.
        let failing = FailingStorage(DeafStorage(base: LocklessStorage(InMemoryStorage(sharing: place))))
        let (store, settings) = try await CounterSettings.open(on: failing)
        let commit = { @Sendable (body: @Sendable @escaping (CounterSettings) -> Void) async throws in
            if isVisit {
                try await settings.commitOnMainActor(body)
            } else {
                try await settings.commit { body(settings) }
            }
        }
        try await commit { $0.count = 1 }
        place.simulateExternalChange(["count": .integer(2)])
        #expect(settings.count == 1, "It has not heard of it.")
        // The one who presses “stop” again.
        try await commit { $0.count = 1 }
        #expect(place.tree["count"] == .integer(1))
        place.simulateExternalChange(["count": .integer(3)])
        let read = LockedValue(0)
        try await commit { settings in read.withLock { $0 = settings.count } }
        #expect(read.withLock { $0 } == 3)
        failing.fail(.append, with: StorageError(.unavailable, "There is no connection."))
        await #expect(throws: SettingsError.self) { try await commit { $0.count = 3 } }
        failing.heal()
        try await store.close()
    }

    @Test("A commit whose values another save of its round has stored does not run a second time")
    func storedInTheRound() async throws {
        let place = InMemoryStorage()
        var stores: [(SettingsStore, CounterSettings, UrgentSettings)] = []
        for _ in 0..<2 {
            let (store, settings) = try await CounterSettings.open(
                on: LocklessStorage(InMemoryStorage(sharing: place)), clock: ContinuousClock())
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
        let (store, settings) = try await CounterSettings.open(on: failing)
        let urgent = try await store.group(UrgentSettings.self, at: "urgent")
        let runs = LockedValue(0)
        // While the storage is busy, a commit arrives, and then a value that is saved at once: in the middle of the
        // round.
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
}

private struct UrgentSettings: SettingsGroup {
    static let savePolicy = SavePolicy.immediate
    @Setting var first = 0
    @Setting var second = 0
}

/// A storage whose watch reports nothing.
struct DeafStorage: StorageWrapper {
    let base: any Storage

    func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {}
}

/// Runs tasks one after the other, and tells when they are suspended.
final class QueueOfTasks: TaskExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "tasks")

    init() { queue.setSpecific(key: Self.key, value: true) }

    /// Whether the caller is one of the tasks.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
