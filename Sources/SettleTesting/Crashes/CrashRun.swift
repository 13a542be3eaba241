public import Settle

/// A scenario of ``forEachCrashPoint(acknowledging:initialFiles:durability:maximumImagesPerPoint:seed:_:check:)``, with the
/// disk on which it runs.
public final class CrashRun<Acknowledged: Sendable>: Sendable {
    /// The clock of the stores. It stands still, so nothing settles by itself before ``settle()``.
    public let clock = ManualClock()

    let log: CrashLog
    private let configuration: SettingsStore.Configuration
    private let makeStorage: @Sendable () -> any Storage
    private let told = LockedValue<[Acknowledged]>([])
    private let opened = LockedValue<(stores: [WeakStore], storages: [any Storage])>(([], []))

    private struct WeakStore {
        weak var store: SettingsStore?
    }

    init(_ log: CrashLog, durability: Durability, _ makeStorage: @escaping @Sendable () -> any Storage) {
        self.log = log
        self.makeStorage = makeStorage
        configuration = SettingsStore.Configuration(durability: durability, clock: clock)
    }

    /// Opens a store on the settings file of the disk. Opening another one without closing the first is what another process
    /// would do.
    public func openStore() async throws -> SettingsStore {
        let store = try await SettingsStore.open(storage: openStorage(), configuration: configuration)
        opened.withLock { $0.stores.append(WeakStore(store: store)) }
        return store
    }

    /// Notes that the outside world has been told something that must not be undone by a crash.
    public func acknowledge(_ value: Acknowledged) {
        told.withLock { $0.append(value) }
        log.update { $0.told += 1 }
    }

    /// Lets time pass until every store has saved its changes, and brings the storages to rest.
    public func settle() async throws {
        for store in opened.withLock({ $0.stores }) {
            while let store = store.store {
                if case .saved = store.status { break }
                try Task.checkCancellation()
                // Whoever sleeps is waiting for a time to save. Who has been woken needs a moment.
                if !clock.deadlines.isEmpty { clock.advance(by: .seconds(60)) }
                await Task.yield()
            }
        }
        for storage in opened.withLock({ $0.storages }) {
            let state = log.state
            guard state.checkpointed < state.returned, let tree = state.trees.last else { continue }
            _ = try storage.checkpoint(tree, at: .resting)
        }
    }

    /// A storage without a store, for tests of storages.
    package func openStorage() -> any Storage {
        let storage = CrashRecordingStorage(makeStorage(), log: log)
        opened.withLock { $0.storages.append(storage) }
        return storage
    }

    /// What the outside world had been told first.
    func acknowledged(_ count: Int) -> [Acknowledged] {
        told.withLock { Array($0.prefix(count)) }
    }
}
