import PasscodeLock
import Settle
import SettleTesting

/// A lock with the passcode `right`, on two in-memory storages and a machine with simulated time.
struct LockFixture {
    let time: SimulatedTime
    let verifier = TestVerifier()
    let first: LockPlace
    let second: LockPlace
    let lock: PasscodeLockout

    static var right: Passcode { get throws { try Passcode("right") } }
    static var wrong: Passcode { get throws { try Passcode("wrong") } }

    /// A lock without a passcode, or with the state in the trees.
    init(
        loading trees: (SettingTree, SettingTree) = (SettingTree(), SettingTree()),
        time: SimulatedTime = SimulatedTime(), schedule: LockSchedule = .standard,
        witness: (any RollbackWitness)? = nil
    ) async throws {
        self.time = time
        first = try await LockPlace(trees.0)
        second = try await LockPlace(trees.1)
        // A busy machine may give a task no turn for as long as a person would wait.
        lock = try await PasscodeLockout(
            in: first.store, and: second.store, schedule: schedule, time: time, verifier: verifier, witness: witness,
            patience: .seconds(600))
    }

    static func enrolled(
        schedule: LockSchedule = .standard, witness: (any RollbackWitness)? = nil
    ) async throws -> LockFixture {
        let fixture = try await LockFixture(schedule: schedule, witness: witness)
        _ = try await fixture.lock.enrol(right)
        return fixture
    }

    var trees: (SettingTree, SettingTree) { (first.memory.tree, second.memory.tree) }

    /// Another process, after this one has crashed: whatever was not on stable storage is lost.
    func afterCrash(witness: (any RollbackWitness)? = nil) async throws -> LockFixture {
        try await LockFixture(loading: trees, time: time, witness: witness)
    }

    /// The number of tries on stable storage, in both copies.
    var storedCounts: [SettingValue?] {
        [first, second].map { $0.memory.tree["passcode.attemptCount"] }
    }

    /// Makes different guesses, so that each counts.
    func guessWrong(_ times: Int = 1) async throws {
        for _ in 0..<times { _ = await lock.unlock(with: try Self.anotherWrong()) }
    }

    /// A wrong passcode that no test has used before.
    static func anotherWrong() throws -> Passcode {
        try Passcode("wrong \(numbers.next())")
    }

    private static let numbers = Numbers()

    /// Nothing was stored.
    static let ioError = StorageError(.writeFailed, "The disk of this test is broken.")
    /// The batch may have been stored.
    static let lostAnswer = StorageError(.writeFailed, "The answer was lost in this test.", isOutcomeUnknown: true)
}

/// A storage for one copy of a lock, with everything that a test may do to it.
struct LockPlace {
    let memory: InMemoryStorage
    let failing: FailingStorage
    let recording: RecordingStorage
    let store: SettingsStore

    init(_ tree: SettingTree) async throws {
        memory = InMemoryStorage(tree)
        failing = FailingStorage(memory)
        recording = RecordingStorage(failing)
        store = try await SettingsStore.open(storage: recording)
    }
}
