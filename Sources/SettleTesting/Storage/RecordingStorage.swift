public import Settle

/// Forwards every call to another storage, and records it once it has ended.
public final class RecordingStorage: Storage {
    private let base: any Storage
    private let recorded = WatchedValue<[StorageCall]>([])

    public init(_ base: any Storage = InMemoryStorage()) {
        self.base = base
    }

    /// The calls that have ended, in order.
    public var calls: [StorageCall] {
        recorded.value
    }

    /// The batches that were appended without an error. Those without values, which only make earlier appends stable,
    /// are left out; ``calls`` has them.
    public var batches: [StorageBatch] {
        calls.compactMap(\.storedBatch)
    }

    /// Waits until the calls that have ended meet a condition.
    ///
    /// - Returns: The calls that met it. If the task is cancelled: those that had ended at that moment.
    public func calls(when condition: @escaping @Sendable ([StorageCall]) -> Bool) async -> [StorageCall] {
        await recorded.value(when: condition)
    }

    /// Waits until this many batches with values have been appended without an error.
    public func batches(atLeast count: Int) async -> [StorageBatch] {
        _ = await calls { $0.count { $0.storedBatch != nil } >= count }
        return batches
    }

    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        try base.check(value, at: key)
    }

    public var isAtRest: Bool { base.isAtRest }

    public func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] {
        try base.externalChanges(since: tree)
    }

    public func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        base.keptValues(forKey: key, insteadOf: stored)
    }

    public func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError) {
        try base.keep(values)
    }

    public func keepPrivate() {
        base.keepPrivate()
    }

    public func watch(_ notify: @escaping @Sendable () -> Void) {
        base.watch(notify)
    }

    public func lock() throws(StorageError) {
        try base.lock()
    }

    public func unlock() {
        base.unlock()
    }

    public func tryReserve(_ name: String) throws(StorageError) -> Bool {
        try base.tryReserve(name)
    }

    public func giveUp(_ name: String) {
        base.giveUp(name)
    }

    public func load() throws(StorageError) -> StorageContents {
        try record(.load) { () throws(StorageError) in try base.load() }
    }

    public func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try record(.append(batch, durability)) { () throws(StorageError) in
            try base.append(batch, durability: durability)
        }
    }

    public func checkpoint(_ tree: SettingTree, at moment: CheckpointReason) throws(StorageError) -> Bool {
        try record(.checkpoint(moment)) { () throws(StorageError) in try base.checkpoint(tree, at: moment) }
    }

    public func close() {
        base.close()
        recorded.update { $0.append(StorageCall(.close)) }
    }

    private func record<Result>(
        _ operation: StorageCall.Operation, _ call: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        do {
            let result = try call()
            recorded.update { $0.append(StorageCall(operation)) }
            return result
        } catch {
            recorded.update { $0.append(StorageCall(operation, error: error)) }
            throw error
        }
    }
}

extension StorageCall {
    /// The batch with values that the call has appended.
    fileprivate var storedBatch: StorageBatch? {
        guard case .append(let batch, _) = operation, error == nil, !batch.values.isEmpty else { return nil }
        return batch
    }
}
