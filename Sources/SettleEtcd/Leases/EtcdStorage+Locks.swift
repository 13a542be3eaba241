public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Named locks: a key with a lease, which only its holder deletes.
extension EtcdStorage {
    /// None: a batch has conditions instead, so nobody waits for a client that has gone.
    public func lockForTransaction() async throws(StorageError) -> StorageLease? {
        try checkOpen()
        return nil
    }

    public func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        try checkOpen()
        let lockName = KeySpace.lock(name)
        // The stream tells when it is free. Without it, ask.
        if isFollowing, mirror.entries[lockName] != nil { return nil }
        if try await isTaken(lockName, name) { return nil }
        let sent = time.elapsed()
        let seconds = max(1, Int64(configuration.lockTimeToLive.inSeconds.rounded(.up)))
        let key = space.key(lockName)
        var lease: Int64 = 0
        do throws(GatewayFailure) {
            let granted = try await client.call(
                EtcdPath.grantLease, GatewayWriter.object { $0.field("TTL", seconds) }, mayRepeat: true)
            lease = granted.signed("ID")
            let timeToLive = granted.signed("TTL")
            let value = holderValue(lease)
            let request = TransactionRequest(
                comparisons: [Comparison(key: key, target: .created(at: 0))],
                success: [
                    .range(BatchPlan.news(of: mirror, keysOnly: true)), .put(key: key, value: value, lease: lease),
                ],
                failure: [.range(RangeRequest(key: key))])
            // Repeated, it is recognised by the lease in its value.
            let answer = TransactionAnswer(try await client.call(EtcdPath.transaction, request.json, mayRepeat: true))
            let found = answer.ranges.first?.pairs.first
            guard answer.succeeded || found?.value == value else {
                await revoke(lease)
                recordHolder(of: name, found?.value)
                return nil
            }
            let revision = answer.succeeded ? answer.header.revision : found?.createRevision ?? 0
            if answer.succeeded, let news = answer.ranges.first { didLock(key, value, answer.header, after: news) }
            let lock = LockLease(
                name: name, lease: lease, revision: revision, sent: sent,
                timeToLive: heldTime(timeToLive))
            guard phase == .open, lock.isHeld(now: time.elapsed()) else {
                await delete(lock)
                return nil
            }
            locks[name] = lock
            return storageLease(lock)
        } catch {
            // The lock may be taken. Without its lease it is free again.
            if lease != 0 { await revoke(lease) }
            throw storageError(error, "locked with “\(name)”")
        }
    }

    public nonisolated func holder(ofLockNamed name: String) -> String? { holders.withLock { $0[name] } }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        guard let name = lease.name, var lock = locks[name], lock.revision == Int64(clamping: lease.fencingNumber)
        else {
            throw lost(lease)
        }
        let sent = time.elapsed()
        guard lock.isHeld(now: sent) else {
            locks[name] = nil
            throw lost(lease)
        }
        let answer: GatewayObject
        do throws(GatewayFailure) {
            answer = try await client.call(
                EtcdPath.keepLeaseAlive, GatewayWriter.object { $0.field("ID", lock.lease) }, mayRepeat: true)
        } catch {
            throw storageError(error, "kept locked with “\(name)”")
        }
        // An ended lease has no time to live, and is no error.
        let timeToLive = answer.object("result")?.signed("TTL") ?? 0
        guard timeToLive > 0 else {
            locks[name] = nil
            throw lost(lease)
        }
        lock.sent = sent
        lock.timeToLive = heldTime(timeToLive)
        if locks[name]?.revision == lock.revision { locks[name] = lock }
        return storageLease(lock)
    }

    public func unlock(_ lease: StorageLease) async {
        guard let name = lease.name, locks[name]?.revision == Int64(clamping: lease.fencingNumber) else { return }
        await release(name)
    }

    func release(_ name: String) async {
        guard let lock = locks.removeValue(forKey: name) else { return }
        await delete(lock)
    }

    /// A batch must not be stored under a lease that has ended. The transaction compares it, too.
    func checkFence(_ lease: StorageLease) throws(StorageError) {
        guard let name = lease.name, let lock = locks[name], lock.revision == Int64(clamping: lease.fencingNumber),
            lock.isHeld(now: time.elapsed())
        else { throw lost(lease) }
    }

    /// Locks of which the cluster has told that they are gone.
    func endLostLocks() {
        // What the mirror knows beyond that may lack the lock.
        for (name, lock) in locks where followed >= lock.revision {
            let entry = mirror.entries[KeySpace.lock(name)]
            guard entry?.createRevision != lock.revision else { continue }
            locks[name] = nil
            tell(.leaseLost(storageLease(lock)))
        }
    }

    // MARK: Helpers

    /// How long a holder relies on a lease of so many seconds.
    private func heldTime(_ seconds: Int64) -> Duration {
        let whole = Duration.seconds(seconds)
        return whole - min(max(configuration.lockMargin, .zero), whole / 2)
    }

    /// Takes the lock's own key as known if there is nothing else that is new. Otherwise the first batch under the lock would
    /// find it, and need a second trip.
    ///
    /// - Parameter news: What had changed until the lock was taken, since the revision that was known when it was asked for.
    private func didLock(_ key: [UInt8], _ value: [UInt8], _ header: GatewayHeader, after news: RangeAnswer) {
        let revision = header.revision
        guard header.cluster == mirror.cluster, revision > mirror.revision, news.count == mirror.count,
            news.pairs.allSatisfy({ $0.modRevision <= mirror.revision })
        else { return }
        didWrite(
            Mirror.Update(
                revision: revision,
                puts: [GatewayPair(key: key, value: value, createRevision: revision, modRevision: revision)],
                deletes: []))
    }

    private func isTaken(_ lockName: String, _ name: String) async throws(StorageError) -> Bool {
        do throws(GatewayFailure) {
            let request = RangeRequest(key: space.key(lockName))
            let answer = RangeAnswer(try await client.call(EtcdPath.range, request.json, mayRepeat: true))
            recordHolder(of: name, answer.pairs.first?.value)
            return !answer.pairs.isEmpty
        } catch {
            throw storageError(error, "locked with “\(name)”")
        }
    }

    /// Removes a lock if it is still this one: a late release must not free the next holder's.
    private func delete(_ lock: LockLease) async {
        let key = space.key(KeySpace.lock(lock.name))
        let request = TransactionRequest(
            comparisons: [Comparison(key: key, target: .created(at: lock.revision))], success: [.delete(key: key)])
        // What fails here ends with the lease.
        _ = try? await client.call(EtcdPath.transaction, request.json, mayRepeat: true)
        await revoke(lock.lease)
    }

    private func revoke(_ lease: Int64) async {
        let body = GatewayWriter.object { $0.field("ID", lease) }
        _ = try? await client.call(EtcdPath.revokeLease, body, mayRepeat: true)
    }

    private func storageLease(_ lock: LockLease) -> StorageLease {
        StorageLease(
            name: lock.name, fencingNumber: UInt64(clamping: lock.revision), position: position,
            timeToLive: lock.timeToLive)
    }

    private func lost(_ lease: StorageLease) -> StorageError {
        StorageError(
            .leaseLost,
            "The lock “\(lease.name ?? "")” under “\(space.prefix)” is not held any more. Nothing was stored.")
    }

    private func holderValue(_ lease: Int64) -> [UInt8] {
        let process = ProcessInfo.processInfo
        let entries: SettingValue.Entries = [
            "lease": .gateway(lease), "host": .string(process.hostName), "program": .string(process.processName),
            "process": .integer(Int64(process.processIdentifier)),
        ]
        return (try? SettingValue.dictionary(entries).json()).map { [UInt8]($0) } ?? []
    }

    private func recordHolder(of name: String, _ value: [UInt8]?) {
        let object = value.flatMap { GatewayObject($0) }
        let text = object.map { "process \($0.signed("process")) (\($0.text("program"))) on \($0.text("host"))" }
        holders.withLock { $0[name] = text }
    }
}
