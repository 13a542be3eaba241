public import Settle

/// A storage that forwards every call to another one. A test double conforms to it and implements only the functions
/// that differ, with `async` where the protocol has it: otherwise a call of the double itself may find the forwarding
/// function.
public protocol StorageWrapper: HistoryStorage, CheckpointingStorage {
    /// The storage that receives the calls.
    var base: any Storage { get }
}

extension StorageWrapper {
    /// The other storage, if others can change its data too.
    public var shared: (any SharedStorage)? { base as? any SharedStorage }

    /// The other storage, if it has a history.
    public var history: (any HistoryStorage)? { base as? any HistoryStorage }

    /// The other storage, if it has a readable form.
    public var checkpointing: (any CheckpointingStorage)? { base as? any CheckpointingStorage }

    public var limits: StorageLimits { base.limits }
    public var isAtRest: Bool { checkpointing?.isAtRest ?? true }

    public func load() async throws(StorageError) -> StorageContents {
        try await base.load()
    }

    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        try await base.append(batch, durability: durability)
    }

    public var preservesWaiting: Bool { base.preservesWaiting }

    public func preserve(_ waiting: StorageBatch) async {
        await base.preserve(waiting)
    }

    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        try base.check(value, at: key)
    }

    public func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool {
        try await base.bringToRest(tree, for: reason)
    }

    public func keptValues(forKey key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        checkpointing?.keptValues(forKey: key, insteadOf: stored) ?? []
    }

    public func keep(_ values: [SettingKey: SettingValue?]) async throws(StorageError) {
        try await checkpointing?.keep(values)
    }

    public func keepVersion(_ tree: SettingTree) async throws(StorageError) {
        try await checkpointing?.keepVersion(tree)
    }

    public func hasTraces(of key: SettingKey) async throws(StorageError) -> Bool {
        try await checkpointing?.hasTraces(of: key) ?? false
    }

    public func keepApart(state: Set<SettingKey>, from others: Set<SettingKey>) {
        checkpointing?.keepApart(state: state, from: others)
    }

    public var hasState: Bool { checkpointing?.hasState ?? false }

    public func keepPrivate() {
        checkpointing?.keepPrivate()
    }

    public func close() async {
        await base.close()
    }

    public func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        try await shared?.changes(after: position) ?? StorageChanges([], position: position)
    }

    public var token: ChangeToken? { history?.token }

    public var keepsHistory: Bool { history?.keepsHistory ?? false }

    public func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]? {
        try await history?.records(after: token, limit: limit)
    }

    public func records(before token: ChangeToken?, limit: Int) async throws(StorageError) -> [StoredRecord] {
        try await history?.records(before: token, limit: limit) ?? []
    }

    public func keepHistory(_ policy: HistoryPolicy) async throws(StorageError) {
        try await history?.keepHistory(policy)
    }

    public func withhold(_ keys: [SettingKey]) async throws(StorageError) {
        try await history?.withhold(keys)
    }

    public func withheldKeys() async throws(StorageError) -> Set<SettingKey> {
        try await history?.withheldKeys() ?? []
    }

    public func forgetHistory(of key: SettingKey) async throws(StorageError) {
        try await history?.forgetHistory(of: key)
    }

    public func holder(ofLockNamed name: String) -> String? {
        shared?.holder(ofLockNamed: name)
    }

    public func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        shared?.watch(handle)
    }

    public func lockForTransaction() async throws(StorageError) -> StorageLease? {
        try await shared?.lockForTransaction()
    }

    /// Locks a name. If the other storage is not shared, every lock is free.
    public func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        guard let shared else { return StorageLease(name: name, position: StoragePosition(0)) }
        return try await shared.tryLock(named: name)
    }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        try await shared?.renew(lease) ?? lease
    }

    public func unlock(_ lease: StorageLease) async {
        await shared?.unlock(lease)
    }
}
