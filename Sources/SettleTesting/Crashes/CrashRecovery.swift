public import Settle

/// The state after a crash, reopened.
public struct CrashRecovery<Acknowledged: Sendable>: Sendable, CustomStringConvertible {
    /// A store on the recovered contents of `settings.json`. Changes written to it, or to another store from
    /// ``store(named:)``, are visible nowhere else.
    public let store: SettingsStore
    /// The values acknowledged before the crash, in order.
    public let acknowledged: [Acknowledged]
    /// A description of the crash and the state it left behind, to show with a failure: `#expect(…, "\(recovered)")`.
    public let description: String
    /// The clock of the stores. It stands still.
    public let clock: ManualClock

    private let disk: SimulatedDisk
    private let makeStorage: MakeCrashStorage
    /// The stores opened besides ``store``, by file name.
    private let others = LockedValue<[String: SettingsStore]>([:])

    init(
        on disk: SimulatedDisk, acknowledged: [Acknowledged], description: String,
        _ makeStorage: @escaping MakeCrashStorage
    ) async throws {
        self.disk = disk
        self.makeStorage = makeStorage
        self.acknowledged = acknowledged
        self.description = description
        clock = ManualClock()
        store = try await SettingsStore.open(
            storage: makeStorage(disk, crashFile), configuration: SettingsStore.Configuration(clock: clock))
    }

    /// Returns a store on the recovered contents of another file of the same disk, or ``store`` for `settings.json`.
    /// Returns the same store each time.
    ///
    /// - Parameter name: The name given to ``CrashRun/openStore(named:)``.
    public func store(named name: String) async throws -> SettingsStore {
        guard name != crashFile else { return store }
        if let known = others.withLock({ $0[name] }) { return known }
        let opened = try await SettingsStore.open(
            storage: makeStorage(disk, name), configuration: SettingsStore.Configuration(clock: clock))
        return others.withLock { others in
            // Check if we lost the race with another caller.
            let store = others[name] ?? opened
            others[name] = store
            return store
        }
    }
}
