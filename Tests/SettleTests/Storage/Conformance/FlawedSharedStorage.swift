import Settle
import SettleTesting

/// A shared storage, with a lock for transactions or with conditions, whose named leases have a time. It keeps all
/// promises, or all but one.
final class FlawedSharedStorage: StorageWrapper {
    struct State {
        var fault: StorageConformance.Fault?
        var isLoaded = false
        /// The last load failed.
        var isUnreadable = false
        /// What `changes` returns besides what the memory tells.
        var untold: [ExternalChange] = []
        var lease: StorageLease?
        var named: [StorageLease] = []
        /// Whether the next changes are told late, because a name was just locked.
        var lags = false
        var lastBatch: (id: StorageBatch.ID, position: StoragePosition)?
    }

    let memory: InMemoryStorage
    let leases: TimedLeases
    let flaw: Flaw?
    let hasLock: Bool
    let state = LockedValue(State())

    var base: any Storage { memory }
    var limits: StorageLimits { StorageLimits(time: .seconds(1)) }

    init(_ memory: InMemoryStorage, _ leases: TimedLeases, _ flaw: Flaw?, hasLock: Bool) {
        (self.memory, self.leases, self.flaw, self.hasLock) = (memory, leases, flaw, hasLock)
    }

    func set(_ fault: StorageConformance.Fault?) -> Bool {
        let (lease, named) = state.withLock { state in
            state.fault = fault
            return (state.lease, state.named)
        }
        guard fault == .leases else { return true }
        if let lease { memory.unlock(lease) }
        if flaw != .leasesNeverEnd { for lease in named { leases.release(lease) } }
        return true
    }

    func has(_ fault: StorageConformance.Fault) -> Bool { state.withLock { $0.fault == fault } }

    /// Where the memory is. Unlike a load, an empty batch takes no notice of what others have stored.
    func position() async throws(StorageError) -> StoragePosition {
        try await memory.append(StorageBatch(revision: 0, values: [:]), durability: .buffered).position
    }

    func load() async throws(StorageError) -> StorageContents {
        guard !has(.loads) else {
            state.withLock { $0.isUnreadable = true }
            throw StorageError(.unreadable, "It can't be read.")
        }
        var contents = try memory.load()
        if flaw == .readsPositionLate {
            for _ in 0..<20 { await Task.yield() }
            contents.position = try await position()
        }
        if flaw == .isAbsentWithoutValues, contents.tree.root.isEmpty { contents.outcome = .absent }
        state.withLock { ($0.isLoaded, $0.isUnreadable) = (true, false) }
        return contents
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        try await begin(batch, durability)
        var receipt = try await store(try await flawed(batch), durability)
        if flaw == .saysBuffered { receipt.durability = .buffered }
        if flaw == .neverTellsOfExternalChanges { receipt.hasExternalChanges = false }
        let isLost = has(.answers)
        state.withLock { [receipt] state in
            if !batch.values.isEmpty { state.lastBatch = (batch.id, receipt.position) }
            state.untold.removeAll { $0.batch == batch.id }
            if flaw == .tellsOwnBatches { state.untold.append(ExternalChange(.values(batch.values))) }
            if isLost, !hasLock, flaw != .neverTellsLostBatches {
                state.untold.append(ExternalChange(.values(batch.values), batch: batch.id))
            }
        }
        if isLost {
            throw StorageError(
                .writeFailed, "The answer was lost.", isOutcomeUnknown: flaw != .claimsThatLostBatchesFailed)
        }
        return receipt
    }

    /// What comes before a batch is looked at.
    private func begin(_ batch: StorageBatch, _ durability: StorageDurability) async throws(StorageError) {
        let state = state.withLock { $0 }
        if !state.isLoaded, flaw == .acceptsAppendsBeforeLoad { _ = try await base.load() }
        if state.isUnreadable {
            guard flaw == .writesAfterFailedLoad else { throw StorageError(.unreadable, "It has not been read.") }
            _ = try await base.load()
        }
        if has(.appends) { throw StorageError(.noSpace, "There is no room.") }
        while has(.silence) {
            await Task.yield()
            guard Task.isCancelled, flaw != .ignoresCancellation else { continue }
            if flaw == .storesCancelledBatches { _ = try await memory.append(batch, durability: durability) }
            throw StorageError(.unavailable, "There was no answer.")
        }
    }

    private func store(
        _ batch: StorageBatch, _ durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        for (key, value) in batch.values.sorted(by: { $0.key < $1.key }) {
            if let value {
                do throws(StorageError) {
                    try base.check(value, at: key)
                } catch {
                    guard flaw == .tearsRefusedBatches else { throw error }
                    // Those before it are stored by now.
                    let stored = batch.values.filter { $0.key < key }
                    _ = try await base.append(StorageBatch(revision: 1, values: stored), durability: durability)
                    throw error
                }
            }
        }
        guard flaw == .tearsBatches, batch.values.count > 1 else {
            return try await base.append(batch, durability: durability)
        }
        var last: StorageReceipt?
        for (key, value) in batch.values {
            last = try await base.append(StorageBatch(revision: 1, values: [key: value]), durability: durability)
            for _ in 0..<100 { await Task.yield() }
        }
        return last ?? StorageReceipt(position: StoragePosition(0), durability: durability)
    }
}
