public import Settle

/// Forwards calls to another storage, and fails or holds the calls that a test has chosen.
public final class FailingStorage: StorageWrapper {
    /// A kind of call.
    public enum Operation: Sendable, Hashable, CaseIterable {
        /// Reading everything.
        case load
        /// Every append.
        case append
        /// An append with stable durability. Rules for ``append`` take precedence.
        case syncedAppend
        /// Bringing the readable form up to date.
        case checkpoint
        /// Fetching the changes of others.
        case changes
        /// The lock for transactions.
        case lock
        /// A named lock.
        case namedLock
        /// Releasing either lock. It can't fail, only be held.
        case unlock
    }

    /// When a call fails: before the other storage has received it, or after it has completed. An append that fails
    /// afterwards has stored its batch, so its error should have `isOutcomeUnknown`.
    public enum Moment: Sendable, Hashable {
        /// The other storage does not receive the call.
        case before
        /// The other storage has completed the call.
        case after
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
        /// Whether the other storage has reported that it has no lock for transactions. Lost batches must then be
        /// reported.
        var isWithoutLock = false
        /// The batches that were stored although their answer was lost, and that were not reported yet.
        var lost: [ExternalChange] = []
    }

    public let base: any Storage
    private let state = LockedValue(State())

    /// Creates a storage that fails no calls yet; by default around an in-memory storage.
    public init(_ base: any Storage = InMemoryStorage()) {
        self.base = base
    }

    /// Makes calls of one kind fail from now on. Replaces the earlier rule for this kind.
    ///
    /// - Parameters:
    ///   - operation: The kind of call.
    ///   - error: The error that these calls throw.
    ///   - skipped: How many calls succeed first.
    ///   - count: How many calls fail after those.
    ///   - moment: Whether they fail before the other storage has received them or after it has completed them.
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

    public func load() async throws(StorageError) -> StorageContents {
        try await run(.load) { () async throws(StorageError) in
            let contents = try await base.load()
            state.withLock { $0.lost = [] }
            return contents
        }
    }

    @discardableResult
    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        var isStored = false
        do throws(StorageError) {
            let receipt = try await run(.append) { () async throws(StorageError) in
                guard durability == .synced else { return try await store(batch, durability, &isStored) }
                return try await run(.syncedAppend) { () async throws(StorageError) in
                    try await store(batch, durability, &isStored)
                }
            }
            state.withLock { $0.didStore(batch, isLost: false) }
            return receipt
        } catch {
            if isStored { state.withLock { $0.didStore(batch, isLost: error.isOutcomeUnknown) } }
            throw error
        }
    }

    private func store(
        _ batch: StorageBatch, _ durability: StorageDurability, _ isStored: inout Bool
    ) async throws(StorageError) -> StorageReceipt {
        let receipt = try await base.append(batch, durability: durability)
        isStored = true
        return receipt
    }

    public func checkpoint(_ tree: SettingTree, for reason: CheckpointReason) async throws(StorageError) -> Bool {
        try await run(.checkpoint) { () async throws(StorageError) in try await base.bringToRest(tree, for: reason) }
    }

    public func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        var found = try await run(.changes) { () async throws(StorageError) in
            try await shared?.changes(after: position) ?? StorageChanges([], position: position)
        }
        // Values that the lost batches have overwritten are not among the changes of others, so those come after them.
        found.changes = state.withLock { $0.takeLost() } + found.changes
        return found
    }

    public func lockForTransaction() async throws(StorageError) -> StorageLease? {
        try await run(.lock) { () async throws(StorageError) in
            guard let shared else { return nil }
            let lease = try await shared.lockForTransaction()
            state.withLock { $0.isWithoutLock = lease == nil }
            return lease
        }
    }

    public func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        try await run(.namedLock) { () async throws(StorageError) in
            guard let shared else { return StorageLease(name: name, position: StoragePosition(0)) }
            return try await shared.tryLock(named: name)
        }
    }

    public func unlock(_ lease: StorageLease) async {
        await hold(forNext: .unlock)
        await shared?.unlock(lease)
    }

    private func hold(forNext operation: Operation) async {
        await state.withLock { $0.nextHold(operation) }?.pass()
    }

    private func run<Result>(
        _ operation: Operation, _ call: () async throws(StorageError) -> Result
    ) async throws(StorageError) -> Result {
        await hold(forNext: operation)
        let failure = state.withLock { $0.nextFailure(operation) }
        if let failure, failure.moment == .before { throw failure.error }
        let result = try await call()
        if let failure { throw failure.error }
        return result
    }
}

extension FailingStorage.State {
    /// - Parameter isLost: Whether the store does not know that the batch was stored. It may never append the batch
    ///   again.
    fileprivate mutating func didStore(_ batch: StorageBatch, isLost: Bool) {
        guard isWithoutLock, !batch.values.isEmpty else { return }
        let isRepeated = lost.contains { $0.batch == batch.id }
        if isRepeated, isLost { return }
        lost.removeAll { $0.batch == batch.id }
        // A repeated batch is not stored again, so it overwrites nothing.
        if !isRepeated { for index in lost.indices { lost[index].overwrite(batch.values) } }
        if isLost { lost.append(ExternalChange(.values(batch.values), author: batch.author, batch: batch.id)) }
    }

    fileprivate mutating func takeLost() -> [ExternalChange] {
        defer { lost = [] }
        return lost
    }

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
