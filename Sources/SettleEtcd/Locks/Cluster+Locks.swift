import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Named locks: a key with a lease, which only its holder deletes.
extension Cluster {
    enum LockAttempt {
        /// The lock was taken, with the changes up to then. `nil` for a repeated call.
        case taken(LockLease, own: GatewayPair, header: GatewayHeader, news: RangeAnswer?)
        case held(by: String?)
    }

    /// Takes a lock unless another client has it.
    ///
    /// - Parameter known: The revision up to which everything is known.
    func tryLock(
        named name: String, _ configuration: EtcdConfiguration, known: Int64
    ) async throws(StorageError) -> LockAttempt {
        try await run("locked with “\(name)”") { () throws(GatewayFailure) in
            try await attemptLock(name, configuration, known)
        }
    }

    private func attemptLock(
        _ name: String, _ configuration: EtcdConfiguration, _ known: Int64
    ) async throws(GatewayFailure) -> LockAttempt {
        let key = space.key(KeyName.lock(name))
        if let pair = try await range(RangeRequest(key: key)).range.pairs.first {
            return .held(by: GatewayObject(pair.value)?.holder)
        }
        let sent = time.elapsed()
        let seconds = max(1, Int64(configuration.lockTimeToLive.inSeconds.rounded(.up)))
        let (lease, timeToLive) = try await grantLease(seconds: seconds)
        let value = Self.value(lease)
        let request = TransactionRequest(
            comparisons: [Comparison(key: key, target: .created(at: 0))],
            success: [.range(space.all(after: known, keysOnly: true)), .put(key: key, value: value, lease: lease)],
            failure: [.range(RangeRequest(key: key))])
        let answer: TransactionAnswer
        do throws(GatewayFailure) {
            // If the call is repeated, it is recognised by the lease in its value.
            answer = try await transact(request)
        } catch {
            // The lock may have been taken. Revoking its lease frees it.
            await revoke(lease)
            throw error
        }
        let found = answer.ranges.first?.pairs.first
        guard answer.succeeded || found?.value == value else {
            await revoke(lease)
            return .held(by: found.flatMap { GatewayObject($0.value)?.holder })
        }
        let revision = answer.succeeded ? answer.header.revision : found?.createRevision ?? 0
        let lock = LockLease(
            name: name, lease: lease, revision: revision, sent: sent, seconds: timeToLive,
            margin: configuration.lockMargin)
        let own = GatewayPair(key: key, value: value, createRevision: revision, modRevision: revision)
        return .taken(lock, own: own, header: answer.header, news: answer.succeeded ? answer.ranges.first : nil)
    }

    /// - Returns: The remaining seconds of the lease; 0 if it has ended.
    func renew(_ lock: LockLease) async throws(StorageError) -> Int64 {
        try await run("kept locked with “\(lock.name)”") { () throws(GatewayFailure) in
            try await keepAlive(lock.lease)
        }
    }

    /// Removes a lock if it is still this one: a late release must not free the next holder's lock. Even if the task of
    /// its holder is cancelled: others wait for it.
    func release(_ lock: LockLease) async {
        await Task { await releaseUncancelled(lock) }.value
    }

    private func releaseUncancelled(_ lock: LockLease) async {
        let key = space.key(KeyName.lock(lock.name))
        let request = TransactionRequest(
            comparisons: [Comparison(key: key, target: .created(at: lock.revision))], success: [.delete(key: key)])
        // If this fails, the lock ends with its lease.
        _ = try? await transact(request)
        await revoke(lock.lease)
    }

    /// Returns the value at a lock's key, for users who wait for the lock.
    private static func value(_ lease: Int64) -> [UInt8] {
        let process = ProcessInfo.processInfo
        let entries: SettingValue.Entries = [
            "lease": .gateway(lease), "host": .string(process.hostName), "program": .string(process.processName),
            "process": .integer(Int64(process.processIdentifier)),
        ]
        return GatewayObject(entries).json
    }
}
