import Dispatch
import PasscodeLock
import Settle
import SettleTesting

/// A storage that runs a closure whenever it is locked, which is at the beginning of each commit.
struct InterruptedStorage: StorageWrapper {
    let base: any Storage
    private let interruption: @Sendable (_ number: Int) -> Void
    private let numbers = Numbers()

    init(_ storage: InMemoryStorage, _ interruption: @escaping @Sendable (_ number: Int) -> Void) {
        base = storage
        self.interruption = interruption
    }

    func lockForTransaction() async throws(StorageError) -> StorageLease? {
        interruption(numbers.next())
        return try await shared?.lockForTransaction()
    }
}

/// A lock whose next try stops between writing its first and its second copy.
struct HalfwayLock {
    let lock: PasscodeLockout
    let verifier = TestVerifier()
    let memories: [InMemoryStorage]
    private let reached = AsyncStream.makeStream(of: Void.self)
    private let gate = DispatchSemaphore(value: 0)

    init(_ fixture: LockFixture, schedule: LockSchedule) async throws {
        let memories = [InMemoryStorage(fixture.trees.0), InMemoryStorage(fixture.trees.1)]
        let first = try await SettingsStore.open(storage: memories[0])
        let second = try await SettingsStore.open(
            storage: InterruptedStorage(memories[1]) { [reached, gate] number in
                // The lock's first check for external changes. The thread belongs to the storage.
                guard number == 2 else { return }
                reached.continuation.yield()
                gate.wait()
            })
        self.memories = memories
        lock = try await PasscodeLockout(
            in: first, and: second, schedule: schedule, time: fixture.time, verifier: verifier, patience: .seconds(600))
    }

    func isHalfway() async {
        for await _ in reached.stream { return }
    }

    func goOn() {
        gate.signal()
    }
}
