public import Settle

/// Named locks.
extension EtcdStorage {
    /// None: a batch has conditions instead, so nobody waits for a client that has gone.
    public func lockForTransaction() async throws(StorageError) -> StorageLease? {
        try checkOpen()
        return nil
    }

    public func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        try checkOpen()
        // The stream tells when it is free. Without it, ask.
        if isFollowing, view.mirror.entries[KeySpace.lock(name)] != nil { return nil }
        let attempt: Cluster.LockAttempt
        do throws(GatewayFailure) {
            attempt = try await cluster.tryLock(
                named: name, timeToLive: configuration.lockTimeToLive, margin: configuration.lockMargin,
                known: view.mirror.revision)
        } catch {
            throw cluster.error(error, "locked with “\(name)”")
        }
        switch attempt {
        case .held(let holder):
            holders.withLock { $0[name] = holder }
            return nil
        case .taken(let lock, let own, let header, let news):
            holders.withLock { $0[name] = nil }
            if let news { view.didLock(own, header, after: news) }
            guard phase == .open, lock.isHeld(now: time.elapsed()) else {
                await cluster.release(lock)
                return nil
            }
            locks.add(lock)
            return lock.storageLease(at: position)
        }
    }

    public nonisolated func holder(ofLockNamed name: String) -> String? { holders.withLock { $0[name] } }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        guard var lock = locks[lease] else { throw lost(lease) }
        let sent = time.elapsed()
        var seconds: Int64 = 0
        if lock.isHeld(now: sent) {
            do throws(GatewayFailure) {
                seconds = try await cluster.renew(lock)
            } catch {
                throw cluster.error(error, "kept locked with “\(lock.name)”")
            }
        }
        // An ended lease has no time to live, and is no error.
        guard seconds > 0 else {
            if locks[lease] != nil { _ = locks.remove(lock.name) }
            throw lost(lease)
        }
        lock.renew(sent: sent, seconds: seconds, margin: configuration.lockMargin)
        locks.renew(lock)
        return lock.storageLease(at: position)
    }

    public func unlock(_ lease: StorageLease) async {
        if let lock = locks[lease] { await release(lock.name) }
    }

    func release(_ name: String) async {
        if let lock = locks.remove(name) { await cluster.release(lock) }
    }

    /// A batch must not be stored under a lease that has ended. The transaction compares it, too.
    func checkFence(_ lease: StorageLease) throws(StorageError) {
        guard locks[lease]?.isHeld(now: time.elapsed()) == true else { throw lost(lease) }
    }

    private func lost(_ lease: StorageLease) -> StorageError {
        StorageError(
            .leaseLost,
            "The lock “\(lease.name ?? "")” under “\(space.prefix)” is not held any more. Nothing was stored.")
    }
}
