import Settle
import SettleTesting

/// Both kinds of locks.
extension FlawedSharedStorage {
    func lockForTransaction() async throws(StorageError) -> StorageLease? {
        guard hasLock else { return nil }
        if flaw == .lockExcludesNobody { return StorageLease(position: try await position()) }
        let lease = try await memory.lockForTransaction()
        state.withLock { $0.lease = lease }
        return lease
    }

    func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        guard let fence = leases.take(name, isFree: flaw == .namesExcludeNobody, falls: flaw == .fencesFall) else {
            return nil
        }
        let lease = StorageLease(
            name: name, fencingNumber: fence, position: try await position(),
            timeToLive: flaw == .leasesSayNoTime ? nil : .seconds(30))
        state.withLock { state in
            state.named.append(lease)
            state.lags = flaw == .lagsBehindLocks
        }
        return lease
    }

    func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        guard flaw == .renewsEndedLeases || leases.holds(lease) else {
            throw StorageError(.leaseLost, "The lease has ended.")
        }
        return lease
    }

    func unlock(_ lease: StorageLease) async {
        guard lease.name != nil else { return memory.unlock(lease) }
        leases.release(lease, ofAnyone: flaw == .unlocksTheNextHolder)
    }

    func close() async {
        if flaw != .keepsLeasesAfterClosing { for lease in state.withLock({ $0.named }) { leases.release(lease) } }
        memory.close()
    }
}

/// The named leases of one place.
final class TimedLeases: Sendable {
    private let state = LockedValue((holders: [String: UInt64](), last: UInt64(0)))

    /// - Parameters:
    ///   - isFree: Whether the name is free whoever holds it.
    ///   - falls: Whether fencing numbers fall.
    /// - Returns: The fencing number; `nil` if the name is not free.
    func take(_ name: String, isFree: Bool, falls: Bool) -> UInt64? {
        state.withLock { state in
            guard isFree || state.holders[name] == nil else { return nil }
            state.last += 1
            let fence = falls ? .max - state.last : state.last
            state.holders[name] = fence
            return fence
        }
    }

    func holds(_ lease: StorageLease) -> Bool {
        state.withLock { $0.holders[lease.name ?? ""] == lease.fencingNumber }
    }

    func release(_ lease: StorageLease, ofAnyone: Bool = false) {
        guard let name = lease.name else { return }
        state.withLock { state in
            if ofAnyone || state.holders[name] == lease.fencingNumber { state.holders[name] = nil }
        }
    }
}
