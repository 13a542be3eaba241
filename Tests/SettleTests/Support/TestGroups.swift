import Dispatch
import Foundation
import Settle
import SettleTesting
import Synchronization

struct CounterSettings: SettingsGroup {
    @Setting var count = 0
    @Setting var other = 0
    @Setting var name = ""
    @Setting var list: [Int] = []
    @Setting var table: [String: Int] = [:]
}

extension CounterSettings {
    /// The group in a new store, whose time stands still unless it is given another clock.
    static func open(
        on storage: any Storage, clock: any Clock<Duration> = ManualClock()
    ) async throws -> (SettingsStore, CounterSettings) {
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: clock))
        return (store, try await store.group(CounterSettings.self))
    }

    /// The count that a new store finds in a file.
    static func count(in file: URL) async throws -> Int {
        try await SettingsStore.open(at: file).group(CounterSettings.self).count
    }

    @MainActor func commitOnMainActor(_ change: (CounterSettings) -> Void) async throws {
        try await commit { change(self) }
    }
}

/// Two settings whose sum stays 1,000 through every transaction.
struct BalanceSettings: SettingsGroup {
    @Setting var left = 500
    @Setting var right = 500
}

struct OuterSettings: SettingsGroup {
    @Setting var title = "title"
    let inner = CounterSettings()
    let balance = BalanceSettings()
}

struct VolatileSettings: SettingsGroup {
    static let savePolicy = SavePolicy.memoryOnly
    @Setting var secret = 0
}

/// A group with a setting that can't encode 13.
struct PickySettings: SettingsGroup {
    @Setting(
        codec: SettingCodec(
            encode: { value in
                if value == 13 { throw TestFailure(number: 13) }
                return .integer(Int64(value))
            },
            decode: { value in
                guard case .integer(let number) = value else { throw TestFailure() }
                return Int(number)
            }))
    var picky = 0
    @Setting var plain = 0
}

struct ImmediateSettings: SettingsGroup {
    static let savePolicy = SavePolicy.immediate
    @Setting var urgent = 0
}

struct MixedSettings: SettingsGroup {
    @Setting var usual = 0
    let volatile = VolatileSettings()
    let immediate = ImmediateSettings()
}

struct TestFailure: Error, Equatable {
    var number = 0
}

/// Runs a closure on a thread outside the concurrency runtime, so that it may block.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "test").async { continuation.resume(returning: body()) }
    }
}

/// Blocks threads until a test lets them continue.
final class Gate: Sendable {
    private let arrivals = DispatchSemaphore(value: 0)
    private let gate = DispatchSemaphore(value: 0)

    /// Signals that the thread has arrived, and blocks until ``open()``.
    func pass() {
        arrivals.signal()
        gate.wait()
    }

    /// Waits until a thread has arrived.
    func waitUntilReached() async {
        await onThread { self.arrivals.wait() }
    }

    func open() {
        gate.signal()
    }
}

/// A weak reference.
struct Weak<Object: AnyObject> {
    weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}

/// Mutates in place and then throws.
func append(_ element: Int, to list: inout [Int], thenThrow error: TestFailure) throws {
    list.append(element)
    throw error
}

extension SettingsStore {
    /// A store with a clock that stands still and storages that a test can inspect.
    static func openWithManualClock(
        savePolicy: SavePolicy = .debounced(), logLimit: Int = 1_024
    ) async throws -> (store: SettingsStore, clock: ManualClock, failing: FailingStorage, recording: RecordingStorage) {
        let clock = ManualClock()
        let failing = FailingStorage()
        let recording = RecordingStorage(failing)
        let store = try await open(
            storage: recording,
            configuration: Configuration(
                savePolicy: savePolicy, logLimit: logLimit,
                retryDelay: .seconds(1) ... .seconds(8), clock: clock))
        return (store, clock, failing, recording)
    }
}

/// What a closure throws. For use inside `#expect(throws:)`, which does not nest.
func thrown(by body: () throws -> Void) -> (any Error)? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

/// A flag that threads poll.
final class Flag: Sendable {
    private let raised = Atomic(false)

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() {
        raised.store(true, ordering: .releasing)
    }
}

struct PartlyHiddenSettings: SettingsGroup {
    @Setting var token: Secret<String>?
    let inner = CounterSettings()
    let owned = AttemptSettings()
}

struct AttemptSettings: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var attempts = 0
}
