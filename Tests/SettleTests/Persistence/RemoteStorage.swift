import Settle
import SettleTesting

/// A storage in memory that behaves as a remote one: each call suspends, everything that it has stored is durable, and
/// leases may have an end.
final class RemoteStorage: StorageWrapper {
    private struct State {
        var endsNextLease = false
        var losesLeases = false
        var holdsRenewals = false
        var renewals = 0
    }

    private let memory: InMemoryStorage
    private let timeToLive: Duration?
    private let state = LockedValue(State())

    var base: any Storage { memory }
    var tree: SettingTree { memory.tree }
    var renewals: Int { state.withLock { $0.renewals } }

    init(_ memory: InMemoryStorage, timeToLive: Duration? = nil) {
        self.memory = memory
        self.timeToLive = timeToLive
    }

    func endNextLease() { state.withLock { $0.endsNextLease = true } }
    func loseLeases() { state.withLock { $0.losesLeases = true } }
    func holdRenewals() { state.withLock { $0.holdsRenewals = true } }
    func keepLeases() { state.withLock { ($0.losesLeases, $0.holdsRenewals) = (false, false) } }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        await Task.yield()
        let hasEnded = state.withLock { state in
            defer { state.endsNextLease = false }
            return state.endsNextLease
        }
        if hasEnded, !batch.conditions.isEmpty { throw StorageError(.leaseLost, "The lease has ended.") }
        return try await memory.append(batch, durability: .synced)
    }

    func lockForTransaction() async throws(StorageError) -> StorageLease? {
        await Task.yield()
        var lease = try await memory.lockForTransaction()
        lease?.timeToLive = timeToLive
        return lease
    }

    func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        await Task.yield()
        var lease = try memory.tryLock(named: name)
        lease?.timeToLive = timeToLive
        return lease
    }

    func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        await Task.yield()
        let isLost = state.withLock { state in
            state.renewals += 1
            return state.losesLeases
        }
        // Not answered before the call is cancelled.
        if state.withLock({ $0.holdsRenewals }) {
            memory.unlock(lease)
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            continuation.finish()
        }
        guard isLost else { return lease }
        memory.unlock(lease)
        throw StorageError(.leaseLost, "The lease has ended.")
    }
}
