public import Settle

/// Named locks.
extension EtcdStorage {
    /// Returns `nil`: a batch has conditions instead, so no client waits for one that has gone.
    public func lockForTransaction() async throws(StorageError) -> StorageLease? {
        try checkOpen()
        return nil
    }

    public func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        try checkOpen()
        // The stream shows when the lock is free. Without the stream, ask.
        if isFollowing, case .lock(let holder)? = view.mirror.entries[.lock(name)]?.content {
            holders.withLock { $0[.lock(name)] = holder }
            return nil
        }
        switch try await cluster.tryLock(named: name, configuration, known: view.mirror.revision) {
        case .held(let holder):
            holders.withLock { $0[.lock(name)] = holder }
            return nil
        case .taken(let lock, let own, let header, let news):
            holders.withLock { $0[.lock(name)] = nil }
            if let news, !isInterrupted { view.didLock(own, header, after: news) }
            guard phase == .open, lock.isHeld(now: time.elapsed()) else {
                await cluster.release(lock)
                return nil
            }
            locks.add(lock)
            return lock.storageLease(at: view.position)
        }
    }

    public nonisolated func holder(ofLockNamed name: String) -> String? { holders.withLock { $0[.lock(name)] } }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        guard let lock = locks[lease] else { throw space.leaseLost(lease) }
        let sent = time.elapsed()
        // A failed renewal changes nothing: the lease ends when it would have ended.
        let seconds = lock.isHeld(now: sent) ? try await cluster.renew(lock) : 0
        let renewed = locks.renew(lock, sent: sent, seconds: seconds, margin: configuration.lockMargin)
        guard let renewed else { throw space.leaseLost(lease) }
        return renewed.storageLease(at: view.position)
    }

    public func unlock(_ lease: StorageLease) async {
        if let lock = locks[lease] { await release(lock.name) }
    }

    func release(_ name: String) async {
        if let lock = locks.remove(name) { await cluster.release(lock) }
    }
}
