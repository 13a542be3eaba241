public import Settle

/// A scenario of
/// ``forEachCrashPoint(acknowledging:initialFiles:savePolicy:maximumImagesPerPoint:seed:_:check:)``, with the disk on
/// which it runs.
public final class CrashRun<Acknowledged: Sendable>: Sendable {
    /// The clock of the stores. It stands still, so nothing settles by itself before ``settle()``.
    public let clock = ManualClock()

    let log: CrashLog
    private let configuration: SettingsStore.Configuration
    private let disk: SimulatedDisk
    /// The initial disk.
    private let first: DiskImage
    private let makeStorage: MakeCrashStorage
    private let told = LockedValue<[Acknowledged]>([])
    private let opened = LockedValue<(stores: [WeakStore], storages: [OpenedStorage])>(([], []))

    private struct WeakStore {
        weak var store: SettingsStore?
    }

    private struct OpenedStorage {
        let file: String
        let storage: any Storage
    }

    init(
        on disk: SimulatedDisk, savePolicy: SavePolicy, history: HistoryPolicy,
        _ makeStorage: @escaping MakeCrashStorage
    ) async throws {
        log = CrashLog()
        self.disk = disk
        first = disk.image
        self.makeStorage = makeStorage
        configuration = SettingsStore.Configuration(savePolicy: savePolicy, history: history, clock: clock)
        try await follow(crashFile)
    }

    /// Opens a store on a settings file of the disk. A second store on the same file, opened without closing the first,
    /// acts like another process.
    ///
    /// All files are on one disk: a crash comes at one moment for all of them, and each must recover as if it were
    /// alone.
    ///
    /// - Parameter name: The file's name, or its path below the folder of `settings.json`, such as `second/copy.json`.
    ///   Any other folder exists from the moment when a file in it is first opened, on stable storage.
    public func openStore(named name: String = "settings.json") async throws -> SettingsStore {
        let store = try await SettingsStore.open(storage: await openStorage(named: name), configuration: configuration)
        opened.withLock { $0.stores.append(WeakStore(store: store)) }
        return store
    }

    /// Records something that was reported to the outside world and that a crash must not undo.
    public func acknowledge(_ value: Acknowledged) {
        told.withLock { $0.append(value) }
        log.noteTold()
    }

    /// Advances the time until every store has saved its changes, and checkpoints the storages.
    public func settle() async throws {
        for store in opened.withLock({ $0.stores }) {
            while let store = store.store {
                if case .saved = store.status { break }
                try Task.checkCancellation()
                // A sleeping task waits for its time to save. A task that was just woken needs a moment.
                if !clock.deadlines.isEmpty { clock.advance(by: .seconds(60)) }
                await Task.yield()
            }
        }
        for opened in opened.withLock({ $0.storages }) {
            guard let state = log.state(of: opened.file), state.checkpointed < state.returned,
                let tree = state.trees.last
            else { continue }
            _ = try await opened.storage.bringToRest(tree, for: .resting)
        }
    }

    /// Opens a storage without a store, for storage tests.
    package func openStorage(named name: String = crashFile) async throws -> any Storage {
        if name.contains("/") { disk.makeStableFolder(crashPath(of: name).folder.text) }
        try await follow(name)
        let storage = CrashRecordingStorage(makeStorage(disk, name), of: name, log: log)
        opened.withLock { $0.storages.append(OpenedStorage(file: name, storage: storage)) }
        return storage
    }

    /// Starts to record the promises about a file.
    private func follow(_ name: String) async throws {
        guard log.state(of: name) == nil else { return }
        let storage = makeStorage(SimulatedDisk(first), name)
        log.follow(name, from: try await storage.load())
        await storage.close()
    }

    /// Returns the first values acknowledged to the outside world.
    func acknowledged(_ count: Int) -> [Acknowledged] {
        told.withLock { Array($0.prefix(count)) }
    }
}
