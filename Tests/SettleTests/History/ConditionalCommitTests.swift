import SettleTesting
import Synchronization
import Testing

@testable import Settle

/// Commits that begin only if nothing has been stored since a token.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ConditionalCommitTests {
    @Test(
        "What was stored since at its keys refuses it, before the closure runs", arguments: HistoryPlace.Kind.allCases)
    func refused(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let (store, other) = try await (home.open(), home.open())
        let settings = try await store.group(OuterSettings.self)
        try await settings.commit { settings.inner.count = 1 }
        let token = try store.newest()
        try await settings.commit(ifUnchangedSince: token, author: "first") { settings.inner.count = 2 }
        #expect(settings.inner.count == 2)
        let ran = Flag()
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit(ifUnchangedSince: token) { ran.raise() }
        }
        #expect(error?.code == .conflict && error?.key == "inner.count" && !ran.isRaised)
        #expect(error?.conflict?.keys == ["inner.count"] && error?.conflict?.token == store.history.token)
        #expect(error?.conflict?.author?.name == "first")
        #expect(error?.description.contains("“inner.count”, last by “first” (") == true)
        // Another process, which this one has not heard of.
        let next = try store.newest()
        try await other.commit(author: "other") { try other.keys.setValue(5, forKey: "balance.left") }
        let others = await #expect(throws: SettingsError.self) {
            try await store.commit(ifUnchangedSince: next) { ran.raise() }
        }
        #expect(
            others?.conflict
                == CommitConflict(
                    keys: ["balance.left"], token: other.history.token,
                    author: try await other.entries(limit: 1).first?.author))
        #expect(settings.balance.left == 5 && !ran.isRaised)
        try await store.commit(ifUnchangedSince: try store.newest()) { ran.raise() }
        #expect(ran.isRaised)
        try await other.close()
        try await store.close()
    }

    @Test("Other keys, and other parts of a dictionary, do not refuse it", arguments: HistoryPlace.Kind.allCases)
    func otherKeys(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(OuterSettings.self)
        func plugin(_ a: Int, _ b: Int) -> SettingValue {
            .dictionary(["a": .integer(Int64(a)), "b": .dictionary(["c": .integer(Int64(b))])])
        }
        try await store.commit { try store.keys.setValue(plugin(1, 1), forKey: "plugins") }
        let token = try store.newest()
        try await store.commit {
            try store.keys.setValue(plugin(1, 2), forKey: "plugins")
            settings.balance.left = 3
        }
        func isRefused(_ keys: [String]) async throws -> Bool {
            do {
                try await store.commit(ifUnchangedSince: token, keys: keys) {}
                return false
            } catch let error as SettingsError {
                #expect(error.code == .conflict)
                return true
            }
        }
        #expect(try await !isRefused(["plugins.a"]))
        #expect(try await !isRefused(["title", "inner"]))
        #expect(try await !isRefused([]))
        #expect(try await isRefused(["plugins.b.c"]))
        #expect(try await isRefused(["plugins.b"]))
        #expect(try await isRefused(["plugins"]))
        #expect(try await isRefused(["title", "balance"]))
        // A group's own keys.
        try await settings.inner.commit(ifUnchangedSince: token) { $0.count = 1 }
        await #expect(throws: SettingsError.self) {
            try await settings.balance.commit(ifUnchangedSince: token) { $0.right = 1 }
        }
        try await settings.balance.commit(ifUnchangedSince: token, keys: ["balance.right"]) { $0.right = 1 }
        try await store.close()
    }

    @Test("Writes that are not saved yet are appended first, and count", arguments: HistoryPlace.Kind.allCases)
    func unsaved(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let token = try store.newest()
        try settings.update(author: "form") { settings.count = 2 }
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit(ifUnchangedSince: token) { settings.count = 9 }
        }
        let place = try #require(error?.conflict?.token)
        #expect(error?.conflict?.author?.name == "form" && place == store.history.token && place != token)
        try await settings.commit(ifUnchangedSince: place) { settings.count = 3 }
        #expect(settings.count == 3)
        settings.other = 1
        try await settings.commit(ifUnchangedSince: try store.newest(), keys: ["count"]) { settings.count = 4 }
        try await store.close()
    }

    @Test("What is written while the history is read refuses it, too") func meanwhile() async throws {
        let storage = ReadHistory(base: InMemoryStorage())
        let store = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let token = try store.newest()
        storage.whenRead.withLock { $0 = { try? settings.update(author: "form") { settings.count = 2 } } }
        let ran = Flag()
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit(ifUnchangedSince: token) { ran.raise() }
        }
        #expect(error?.conflict?.keys == ["count"] && error?.conflict?.author?.name == "form" && !ran.isRaised)
        #expect(error?.conflict?.token == nil)
        // Now it has a place.
        let again = await #expect(throws: SettingsError.self) {
            try await settings.commit(ifUnchangedSince: token) { ran.raise() }
        }
        #expect(again?.conflict?.token == store.history.token && again?.conflict?.author?.name == "form")
    }

    @Test("What is appended while an actor is busy refuses its commit") func busyActor() async throws {
        let reading = ReadHistory(base: InMemoryStorage())
        let failing = FailingStorage(reading)
        let store = try await SettingsStore.open(
            storage: failing, configuration: SettingsStore.Configuration(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let (token, counter, gate) = (try store.newest(), Counter(settings), Gate())
        let hold = failing.hold(.lock)
        let commit = Task { try await counter.increment(ifUnchangedSince: token, keys: ["count"]) }
        await hold.waitUntilReached()
        let blocking = Task { await counter.block(at: gate) }
        await gate.waitUntilReached()
        reading.whenRead.withLock { $0 = { settings.count = 5 } }
        hold.release()
        // It shares the storage's lock with the actor's commit, and appends what was written when the history was read.
        try await settings.commit { settings.other = 1 }
        gate.open()
        await blocking.value
        let error = await #expect(throws: SettingsError.self) { try await commit.value }
        #expect(error?.conflict?.keys == ["count"] && settings.count == 5)
    }

    @Test("What a commit before it has published refuses it, even if that is appended before its turn")
    func sharedRound() async throws {
        let failing = FailingStorage(InMemoryStorage())
        let store = try await SettingsStore.open(
            storage: failing, configuration: SettingsStore.Configuration(clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let (token, counter, gate) = (try store.newest(), Counter(settings), Gate())
        let hold = failing.hold(.lock)
        let first = Task.immediate { try await settings.commit(author: "first") { settings.count = 5 } }
        await hold.waitUntilReached()
        let commit = Task.immediate { try await counter.increment(ifUnchangedSince: token) }
        // The actor comes to this once its commit waits behind the other one.
        let blocking = Task.immediate { await counter.block(at: gate) }
        await gate.waitUntilReached()
        hold.release()
        try await first.value
        gate.open()
        await blocking.value
        let error = await #expect(throws: SettingsError.self) { try await commit.value }
        #expect(error?.conflict?.author?.name == "first" && settings.count == 5)
    }

    @Test("Of those that begin together only one writes", arguments: HistoryPlace.Kind.allCases)
    func together(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let (store, other) = try await (home.open(), home.open())
        let settings = try await store.group(CounterSettings.self)
        let counter = Counter(settings)
        for round in 1...10 {
            try await settings.commit { settings.other = round }
            let token = try store.newest()
            let successes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<9 {
                    group.addTask {
                        do {
                            switch number % 3 {
                            case 0: try await settings.commit(ifUnchangedSince: token) { settings.count += 1 }
                            case 1: try await counter.increment(ifUnchangedSince: token)
                            default:
                                try await other.commit(ifUnchangedSince: token) {
                                    try other.keys.setValue(
                                        (try other.keys.value(forKey: "count") ?? 0) + 1, forKey: "count")
                                }
                            }
                            return true
                        } catch {
                            #expect((error as? SettingsError)?.code == .conflict)
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(successes == 1)
            try await settings.commit {}
            #expect(settings.count == round)
        }
        try await other.close()
        try await store.close()
    }

    @Test("A token that is not known refuses it in other words", arguments: HistoryPlace.Kind.allCases)
    func unknown(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let store = try await home.open()
        try await store.commit { try store.keys.setValue(1, forKey: "a") }
        let token = try store.newest()
        let foreign = ChangeToken(history: token.history ^ 1, position: token.position, checksum: token.checksum)
        let later = ChangeToken(history: token.history, position: token.position + 5, checksum: token.checksum)
        for token in [foreign, later] {
            let ran = Flag()
            let error = await #expect(throws: SettingsError.self) {
                try await store.commit(ifUnchangedSince: token) { ran.raise() }
            }
            #expect(error?.code == .conflict && error?.description.contains("another history") == true && !ran.isRaised)
            #expect(error?.conflict == CommitConflict(keys: [], token: nil, author: nil))
        }
        try await store.close()
    }

    @Test("On a storage without a lock it looks again if others were faster") func unlocked() async throws {
        let memory = InMemoryStorage()
        let storage = UnlockedHistory(base: memory)
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let token = try store.newest()
        storage.beforeAppend.withLock { $0 = { memory.simulateExternalChange(["count": .integer(7)], author: "fast") } }
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit(ifUnchangedSince: token) { settings.count = 2 }
        }
        #expect(error?.conflict?.author?.name == "fast" && settings.count == 7)
        storage.beforeAppend.withLock { $0 = { memory.simulateExternalChange(["other": .integer(7)]) } }
        try await settings.commit(ifUnchangedSince: try store.newest(), keys: ["count"]) { settings.count = 8 }
        #expect(memory.tree == SettingTree(["count": .integer(8), "other": .integer(7)]))
    }

    @Test("Secrets refuse it by their keys, settings in memory do not") func secrets() async throws {
        let store = try await HistoryPlace(.memory).open()
        let settings = try await store.group(PartlyHiddenSettings.self)
        let volatile = try await store.group(VolatileSettings.self, at: "volatile")
        try await settings.commit { settings.inner.count = 1 }
        let token = try store.newest()
        volatile.secret = 5
        try await store.commit(ifUnchangedSince: token) {}
        try await settings.commit { settings.token = Secret("hush") }
        let error = await #expect(throws: SettingsError.self) {
            try await store.commit(ifUnchangedSince: token, keys: ["token"]) {}
        }
        #expect(error?.conflict?.keys == ["token"] && error?.description.contains("hush") == false)
        try await store.close()
    }
}

/// Commits on an actor, with threads of its own: it may block.
private actor Counter {
    private let executor = QueueExecutor()
    let settings: CounterSettings

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ settings: CounterSettings) { self.settings = settings }

    func increment(ifUnchangedSince token: ChangeToken, keys: [String]? = nil) async throws {
        try await settings.commit(ifUnchangedSince: token, keys: keys) { settings.count += 1 }
    }

    func block(at gate: Gate) { gate.pass() }
}
