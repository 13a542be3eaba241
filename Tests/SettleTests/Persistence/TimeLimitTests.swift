import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Calls that take longer than the limits of the storage say.
@Suite(.timeLimit(.minutes(10))) struct TimeLimitTests {
    private let memory = InMemoryStorage()
    private let clock = ManualClock()

    private func open(_ storage: SilentServer) async throws -> (SettingsStore, CounterSettings) {
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        return (store, try await store.group(CounterSettings.self))
    }

    /// Lets the limit of the next call pass once the call has begun.
    private func passLimit(_ storage: SilentServer) async throws {
        let count = try await storage.nextSilentCall()
        let end = clock.now.advanced(by: SilentServer.limit)
        await clock.deadlines { $0.contains(end) }
        clock.advance(by: SilentServer.limit)
        try await storage.cancellation(count)
    }

    @Test("A load that gets no answer ends at the limit") func loadGetsAnswer() async throws {
        let storage = SilentServer(memory, silent: .load)
        let opening = Task { [clock] in
            try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        }
        try await passLimit(storage)
        let error = await #expect(throws: SettingsError.self) { _ = try await opening.value }
        #expect(error?.description.contains("no answer to load") == true)
    }

    @Test("An append that gets no answer is repeated, and stands if that gets none either")
    func appendGetsAnswer() async throws {
        let storage = SilentServer(memory)
        let (store, settings) = try await open(storage)
        storage.silence(.append)
        let commit = Task { try await settings.commit { settings.count = 1 } }
        try await passLimit(storage)
        try await passLimit(storage)
        await #expect(throws: SettingsError.self) { try await commit.value }
        #expect(settings.count == 1 && memory.tree.root.isEmpty)
        storage.silence(nil)
        try await store.flush()
        #expect(memory.tree["count"] == .integer(1))
    }

    @Test("A commit whose lock gets no answer is undone at the limit") func commitWhoseLock() async throws {
        let storage = SilentServer(memory)
        let (store, settings) = try await open(storage)
        storage.silence(.lock)
        let commit = Task { try await settings.commit { settings.count = 1 } }
        try await passLimit(storage)
        await #expect(throws: SettingsError.self) { try await commit.value }
        #expect(settings.count == 0)
        storage.silence(nil)
        try await settings.commit { settings.count += 1 }
        #expect(memory.tree["count"] == .integer(1) && store.status == .saved)
    }

    @Test("A named lock that gets no answer throws at the limit") func namedLockGets() async throws {
        let storage = SilentServer(memory)
        let (store, _) = try await open(storage)
        storage.silence(.name)
        let work = Task { try await store.withLock(named: "a") {} }
        try await passLimit(storage)
        await #expect(throws: SettingsError.self) { try await work.value }
        storage.silence(nil)
        try await store.withLock(named: "a") {}
    }

    @Test("A call within the limit leaves no timer behind") func callWithinLimit() async throws {
        let storage = SilentServer(memory)
        let (store, settings) = try await open(storage)
        try await settings.commit { settings.count = 1 }
        try await store.flush()
        #expect(!clock.deadlines.contains { $0.sinceStart == SilentServer.limit })
        try await store.close()
    }
}

/// Answers a kind of call only once its task is cancelled.
private final class SilentServer: StorageWrapper {
    enum Call: String, Sendable { case load, append, lock, name }

    static let limit = Duration.seconds(5)

    let base: any Storage
    private let silent: LockedValue<Call?>
    private let counts = LockedValue((begun: 0, told: 0, ended: 0))

    init(_ base: any Storage, silent: Call? = nil) {
        self.base = base
        self.silent = LockedValue(silent)
    }

    var limits: StorageLimits { StorageLimits(time: Self.limit) }

    func silence(_ call: Call?) { silent.withLock { $0 = call } }

    /// Waits for a silent call that was not returned yet.
    ///
    /// - Returns: Its number.
    func nextSilentCall() async throws -> Int {
        try await eventually("a call gets no answer") { counts.withLock { $0.begun != $0.told } }
        return counts.withLock { counts in
            counts.told += 1
            return counts.told
        }
    }

    func cancellation(_ number: Int) async throws {
        try await eventually("call \(number) is cancelled") { counts.withLock { $0.ended >= number } }
    }

    private func answer(_ call: Call) async throws(StorageError) {
        guard silent.withLock({ $0 }) == call else { return }
        counts.withLock { $0.begun += 1 }
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        continuation.finish()
        counts.withLock { $0.ended += 1 }
        throw StorageError(.unavailable, "There was no answer to \(call).", isOutcomeUnknown: call == .append)
    }

    func load() async throws(StorageError) -> StorageContents {
        try await answer(.load)
        return try await base.load()
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        try await answer(.append)
        return try await base.append(batch, durability: durability)
    }

    func lockForTransaction() async throws(StorageError) -> StorageLease? {
        try await answer(.lock)
        return try await shared?.lockForTransaction()
    }

    func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        try await answer(.name)
        return try await shared?.tryLock(named: name)
    }
}
