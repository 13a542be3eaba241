import Settle

/// Forwards every call to another storage, and records what that has promised.
final class CrashRecordingStorage: Storage {
    private let base: any Storage
    private let log: CrashLog
    private let file: String
    /// Serializes calls: a store makes one at a time, but the crash run calls the storage too.
    private let turn = LockedValue(())

    /// - Parameter file: The name of the storage's file.
    init(_ base: any Storage, of file: String, log: CrashLog) {
        self.base = base
        self.file = file
        self.log = log
    }

    func load() throws(StorageError) -> StorageContents {
        try turn.withLock { (_) throws(StorageError) in try base.load() }
    }

    func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        try base.check(value, at: key)
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try turn.withLock { (_) throws(StorageError) in
            var number = 0
            log.update(file) { state in
                if !batch.values.isEmpty, var tree = state.trees.last {
                    tree.apply(batch.values)
                    state.trees.append(tree)
                }
                number = state.trees.count - 1
            }
            try base.append(batch, durability: durability)
            log.update(file) { state in
                state.returned = max(state.returned, number)
                if durability == .synced { state.stable = max(state.stable, number) }
            }
        }
    }

    func checkpoint(_ tree: SettingTree, at moment: CheckpointReason) throws(StorageError) -> Bool {
        try turn.withLock { (_) throws(StorageError) in
            let number = log.state(of: file)?.returned ?? 0
            let isAtRest = try base.checkpoint(tree, at: moment)
            log.update(file) { state in
                // Even if the storage has put off its resting form, it has made everything stable.
                state.stable = max(state.stable, number)
                if isAtRest { state.checkpointed = max(state.checkpointed, number) }
            }
            return isAtRest
        }
    }

    var isAtRest: Bool { turn.withLock { _ in base.isAtRest } }

    func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] {
        try turn.withLock { (_) throws(StorageError) in try base.externalChanges(since: tree) }
    }

    func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        turn.withLock { _ in base.keptValues(forKey: key, insteadOf: stored) }
    }

    func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError) {
        try turn.withLock { (_) throws(StorageError) in try base.keep(values) }
    }

    func keepPrivate() {
        turn.withLock { _ in base.keepPrivate() }
    }

    func watch(_ notify: @escaping @Sendable () -> Void) {
        base.watch(notify)
    }

    func lock() throws(StorageError) {
        try turn.withLock { (_) throws(StorageError) in try base.lock() }
    }

    func unlock() {
        turn.withLock { _ in base.unlock() }
    }

    func tryReserve(_ name: String) throws(StorageError) -> Bool {
        try turn.withLock { (_) throws(StorageError) in try base.tryReserve(name) }
    }

    func giveUp(_ name: String) {
        turn.withLock { _ in base.giveUp(name) }
    }

    func close() {
        turn.withLock { _ in base.close() }
    }
}
