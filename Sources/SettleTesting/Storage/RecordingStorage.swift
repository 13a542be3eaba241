public import Settle

/// Forwards every call to another storage, and records it once it has ended.
///
/// All calls of a store to its storage are recorded except `check(_:at:)`, `keptValues(forKey:insteadOf:)` and the
/// properties, which change nothing and may be read at any time.
public final class RecordingStorage: StorageWrapper {
    public let base: any Storage
    private let recorded = WatchedValue<[StorageCall]>([])

    /// Creates a storage that has recorded nothing yet; by default around an in-memory storage.
    public init(_ base: any Storage = InMemoryStorage()) {
        self.base = base
    }

    /// The calls that have ended, in order.
    public var calls: [StorageCall] {
        recorded.value
    }

    /// The batches that were appended without an error. Batches without values, which only make earlier appends
    /// durable, are left out; ``calls`` has them.
    public var batches: [StorageBatch] {
        calls.compactMap(\.storedBatch)
    }

    /// Waits until the ended calls meet a condition.
    ///
    /// - Returns: The calls that met it; if the task is cancelled, those that had ended at that moment.
    public func calls(when condition: @escaping @Sendable ([StorageCall]) -> Bool) async -> [StorageCall] {
        await recorded.value(when: condition)
    }

    /// Waits until this many batches with values have been appended without an error.
    public func batches(atLeast count: Int) async -> [StorageBatch] {
        _ = await calls { $0.count { $0.storedBatch != nil } >= count }
        return batches
    }

    public func load() async throws(StorageError) -> StorageContents {
        try await record(.load) { () async throws(StorageError) in try await base.load() }
    }

    @discardableResult
    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        try await record(.append(batch, durability)) { () async throws(StorageError) in
            try await base.append(batch, durability: durability)
        }
    }

    public func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool {
        try await record(.checkpoint(reason)) { () async throws(StorageError) in
            try await base.bringToRest(tree, for: reason)
        }
    }

    public func keep(_ values: [SettingKey: SettingValue?]) async throws(StorageError) {
        try await record(.keep(values)) { () async throws(StorageError) in try await checkpointing?.keep(values) }
    }

    public func keepApart(state: Set<SettingKey>, from others: Set<SettingKey>) {
        checkpointing?.keepApart(state: state, from: others)
    }

    public var hasState: Bool { checkpointing?.hasState ?? false }

    public func keepPrivate() {
        checkpointing?.keepPrivate()
        didEnd(.keepPrivate)
    }

    public func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        try await record(.changes(after: position)) { () async throws(StorageError) in
            try await shared?.changes(after: position) ?? StorageChanges([], position: position)
        }
    }

    public func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        shared?.watch(handle)
        didEnd(.watch)
    }

    public func lockForTransaction() async throws(StorageError) -> StorageLease? {
        try await record(.lockForTransaction) { () async throws(StorageError) in
            try await shared?.lockForTransaction()
        }
    }

    public func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        try await record(.tryLock(name)) { () async throws(StorageError) in
            guard let shared else { return StorageLease(name: name, position: StoragePosition(0)) }
            return try await shared.tryLock(named: name)
        }
    }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        try await record(.renew(lease)) { () async throws(StorageError) in try await shared?.renew(lease) ?? lease }
    }

    public func unlock(_ lease: StorageLease) async {
        await shared?.unlock(lease)
        didEnd(.unlock(lease))
    }

    public func close() async {
        await base.close()
        didEnd(.close)
    }

    private func record<Result>(
        _ operation: StorageCall.Operation, _ call: () async throws(StorageError) -> Result
    ) async throws(StorageError) -> Result {
        do {
            let result = try await call()
            didEnd(operation)
            return result
        } catch {
            didEnd(operation, with: error)
            throw error
        }
    }

    private func didEnd(_ operation: StorageCall.Operation, with error: StorageError? = nil) {
        recorded.update { $0.append(StorageCall(operation, error: error)) }
    }
}

extension StorageCall {
    /// The batch with values that the call appended.
    fileprivate var storedBatch: StorageBatch? {
        guard case .append(let batch, _) = operation, error == nil, !batch.values.isEmpty else { return nil }
        return batch
    }
}
