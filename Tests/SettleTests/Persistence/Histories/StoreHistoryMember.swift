import SettleTestSupport
import SettleTesting

@testable import Settle

/// A store of a history, with everything under way in it.
final class StoreHistoryMember {
    let number: Int
    let calls: FaultySystemCalls
    let failing: FailingStorage
    let recording: RecordingStorage
    let watching: ManualFileWatching
    private(set) var store: SettingsStore?
    /// `nil` if the store's keys are only used at run time.
    private(set) var settings: StoreHistorySettings?

    /// A thread that holds the writer lock.
    private var writer: (gate: Gate, thread: Task<Void, Never>)?
    /// Holds a storage call.
    var hold: StorageHold?
    /// Calls waiting for the writer, the hold or the file's lock.
    private var tasks: [Task<Void, Never>] = []
    /// Whether a commit may be waiting with the file's lock.
    private(set) var mayHaveLock = false
    /// Raised when a call may throw; see ``heal()``.
    private(set) var mayFail = Flag()
    var isClosing = false
    /// Raised when the store begins to close. Waiting calls may then find it closed.
    let hasClosed = Flag()

    let lost = StoreHistoryLosses()
    /// Whether a call may ever have failed.
    private(set) var hasFailed = false

    var name: String { "S\(number)" }
    var isWriting: Bool { writer != nil }
    var hasTasks: Bool { !tasks.isEmpty }

    init(
        number: Int, on disk: SimulatedDisk, clock: ManualClock, isDeclared: Bool, history: HistoryPolicy
    ) async throws {
        self.number = number
        calls = FaultySystemCalls(disk)
        watching = ManualFileWatching()
        failing = FailingStorage(FileStorage(at: SharedFileHistory.url, calls: calls, watching: watching))
        recording = RecordingStorage(failing)
        let store = try await SettingsStore.open(
            storage: recording,
            configuration: .init(
                retryDelay: .milliseconds(250) ... .seconds(2), history: history, clock: clock))
        self.store = store
        if isDeclared { settings = try await store.group() }
    }

    /// Releases the store without closing it.
    func letGo() {
        store = nil
        settings = nil
    }

    // MARK: The writer's lock

    /// Has a thread take the writer lock and, once released, write; without writes, it rolls back.
    func beginWriting(_ writes: [StoreHistoryWrite], _ ledger: StoreHistoryLedger) async {
        guard let store else { return }
        let (gate, settings, number) = (Gate(), settings, number)
        let thread = Task {
            await onThread { () -> Void in
                try? store.update {
                    gate.pass()
                    guard !writes.isEmpty else { throw TestFailure() }
                    try writes.perform(in: store, settings, by: number, ledger)
                }
            }
        }
        await gate.waitUntilReached()
        writer = (gate, thread)
    }

    func endWriting() async {
        guard let writer else { return }
        self.writer = nil
        writer.gate.open()
        await writer.thread.value
    }

    // MARK: Calls

    func fail(_ operation: FailingStorage.Operation, count: Int, _ moment: FailingStorage.Moment) {
        mayFail.raise()
        hasFailed = true
        failing.fail(operation, with: StorageError(.noSpace, "There is no room."), count: count, moment: moment)
    }

    /// Makes a system call fail; if for good, all later ones too.
    func fail(call number: Int, with error: SystemError, forGood: Bool) {
        mayFail.raise()
        hasFailed = true
        calls.fail(call: number, with: .error(error), forGood: forGood)
    }

    /// Lets calls succeed again. Calls under way may have failed.
    func heal() {
        failing.heal()
        calls.heal()
        if !hasTasks { mayFail = Flag() }
    }

    /// Waits until the store has fetched what it has been told of: its queue works in order.
    func fetch() async {
        await store?.core.persister.perform { _ in }
    }

    func add(_ task: Task<Void, Never>, locks: Bool) {
        tasks.append(task)
        if locks { mayHaveLock = true }
    }

    /// Waits for all calls.
    func collect() async {
        for task in tasks { await task.value }
        tasks = []
        mayHaveLock = false
    }
}
