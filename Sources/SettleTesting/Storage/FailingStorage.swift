public import Settle

/// Forwards calls to another storage, and fails or holds those that a test has chosen.
public final class FailingStorage: Storage {
    public enum Operation: Sendable, Hashable, CaseIterable {
        case load
        /// Every append.
        case append
        /// An append with stable durability. Rules for ``append`` take precedence.
        case syncedAppend
        case checkpoint
        /// Fetching what others have changed.
        case externalChanges
        case lock
        /// Acquiring a named lock.
        case reserve
    }

    /// When a call fails: before the other storage has received it, or after it has completed.
    public enum Moment: Sendable, Hashable {
        case before, after
    }

    fileprivate struct Failure: Sendable {
        var skipped: Int
        var remaining: Int
        var moment: Moment
        var error: StorageError
    }

    fileprivate struct State: Sendable {
        var failures: [Operation: Failure] = [:]
        var holds: [Operation: [StorageHold]] = [:]
    }

    private let base: any Storage
    private let state = LockedValue(State())

    public init(_ base: any Storage = InMemoryStorage()) {
        self.base = base
    }

    /// Makes calls of one kind fail from now on. Replaces the earlier rule for this kind.
    ///
    /// - Parameters:
    ///   - operation: The kind of call.
    ///   - error: What these calls throw.
    ///   - skipped: How many calls succeed first.
    ///   - count: How many calls fail then.
    ///   - moment: Whether they fail before the other storage has received them, or after it has completed them.
    public func fail(
        _ operation: Operation, with error: StorageError, skipping skipped: Int = 0, count: Int = .max,
        moment: Moment = .before
    ) {
        state.withLock {
            $0.failures[operation] = Failure(skipped: skipped, remaining: count, moment: moment, error: error)
        }
    }

    /// Makes all calls succeed again.
    public func heal() {
        state.withLock { $0.failures = [:] }
    }

    /// Holds the next call of one kind until the hold is released. Several holds stop as many calls, one each.
    public func hold(_ operation: Operation) -> StorageHold {
        let hold = StorageHold()
        state.withLock { $0.holds[operation, default: []].append(hold) }
        return hold
    }

    public var isAtRest: Bool { base.isAtRest }

    public func externalChanges(since tree: () -> SettingTree) throws(StorageError) -> [ExternalChange] {
        try run(.externalChanges) { () throws(StorageError) in try base.externalChanges(since: tree) }
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
        try run(.lock) { () throws(StorageError) in try base.lock() }
    }

    public func unlock() {
        base.unlock()
    }

    public func tryReserve(_ name: String) throws(StorageError) -> Bool {
        try run(.reserve) { () throws(StorageError) in try base.tryReserve(name) }
    }

    public func giveUp(_ name: String) {
        base.giveUp(name)
    }

    public func load() throws(StorageError) -> StorageContents {
        try run(.load) { () throws(StorageError) in try base.load() }
    }

    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        try base.check(value, at: key)
    }

    public func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try run(.append) { () throws(StorageError) in
            guard durability == .synced else { return try base.append(batch, durability: durability) }
            try run(.syncedAppend) { () throws(StorageError) in try base.append(batch, durability: durability) }
        }
    }

    public func checkpoint(_ tree: SettingTree, at moment: CheckpointReason) throws(StorageError) -> Bool {
        try run(.checkpoint) { () throws(StorageError) in try base.checkpoint(tree, at: moment) }
    }

    public func close() {
        base.close()
    }

    private func run<Result>(
        _ operation: Operation, _ call: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let (hold, failure) = state.withLock { state in
            (state.nextHold(operation), state.nextFailure(operation))
        }
        hold?.pass()
        if let failure, failure.moment == .before { throw failure.error }
        let result = try call()
        if let failure { throw failure.error }
        return result
    }
}

extension FailingStorage.State {
    fileprivate mutating func nextHold(_ operation: FailingStorage.Operation) -> StorageHold? {
        guard let waiting = holds[operation], let first = waiting.first else { return nil }
        holds[operation] = Array(waiting.dropFirst())
        return first
    }

    fileprivate mutating func nextFailure(_ operation: FailingStorage.Operation) -> FailingStorage.Failure? {
        guard var failure = failures[operation] else { return nil }
        defer { failures[operation] = failure }
        if failure.skipped > 0 {
            failure.skipped -= 1
            return nil
        }
        guard failure.remaining > 0 else { return nil }
        failure.remaining -= 1
        return failure
    }
}
