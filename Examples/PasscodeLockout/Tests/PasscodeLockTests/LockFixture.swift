import PasscodeLock
import Settle
import SettleTesting

/// A lock with the passcode `right`, on a storage in memory and a machine whose time is simulated.
struct LockFixture {
    let time: SimulatedTime
    let verifier = TestVerifier()
    let memory: InMemoryStorage
    let failing: FailingStorage
    let recording: RecordingStorage
    let store: SettingsStore
    let lock: PasscodeLock

    static var right: Passcode { get throws { try Passcode("right") } }
    static var wrong: Passcode { get throws { try Passcode("wrong") } }

    /// A lock without a passcode, or what the tree says.
    init(
        loading tree: SettingTree = SettingTree(), time: SimulatedTime = SimulatedTime(),
        schedule: LockSchedule = .standard
    ) async throws {
        self.time = time
        memory = InMemoryStorage(tree)
        failing = FailingStorage(memory)
        recording = RecordingStorage(failing)
        store = try await SettingsStore.open(storage: recording)
        lock = try await PasscodeLock(in: store, schedule: schedule, time: time, verifier: verifier)
    }

    static func enrolled(schedule: LockSchedule = .standard) async throws -> LockFixture {
        let fixture = try await LockFixture(schedule: schedule)
        _ = try await fixture.lock.enrol(right)
        return fixture
    }

    /// Another process after this one has crashed: whatever was not on stable storage is lost.
    func afterCrash() async throws -> LockFixture {
        try await LockFixture(loading: memory.tree, time: time)
    }

    /// The number of tries on stable storage.
    var storedCount: SettingValue? { memory.tree["passcode.attemptCount"] }

    func guessWrong(_ times: Int = 1) async throws {
        for _ in 0..<times { _ = await lock.unlock(with: try Self.wrong) }
    }

    static let ioError = StorageError(.writeFailed, "The disk of this test is broken.")
}
