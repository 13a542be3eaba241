/// Named locks: tasks of this process queue up, and the first of them polls the storage until it has the name.
extension Persister {
    /// Waits for a named lock and acquires it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first, ``SettingsError`` if the store is closed or the
    ///   storage fails. In each case the access is not acquired.
    func acquireLock(named name: String) async throws -> LockQueues.Ticket {
        guard !isClosed else { throw SettingsError.closed(key: nil) }
        let ticket = lockQueues.enter(name)
        do {
            if !lockQueues.isFirst(ticket) { try await waitForTurn(ticket) }
            try await reserve(ticket)
        } catch {
            leave(ticket)
            throw error
        }
        return ticket
    }

    /// The same, and gives up after a while.
    ///
    /// - Throws: Also ``SettingsError/Code/lockTimedOut``.
    func acquireLock(named name: String, within timeout: Duration) async throws -> LockQueues.Ticket {
        let due = time.elapsed() + timeout
        let acquisition = Task { try await acquireLock(named: name) }
        let timer = Task { [time] in
            guard (try? await time.sleep(due)) != nil else { return }
            acquisition.cancel()
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await acquisition.value
            } onCancel: {
                acquisition.cancel()
            }
        } catch is CancellationError where !Task.isCancelled {
            let holder = heldLocks[name] == nil ? shared?.holder(ofLockNamed: name) : "another task of this process"
            throw SettingsError.lockTimedOut(name, timeout, holder: holder ?? "another process")
        }
    }

    /// Releases a lock for the next task of this or any other process.
    ///
    /// - Returns: Whether it was held until now, as far as the storage has told.
    @discardableResult
    func releaseLock(_ ticket: LockQueues.Ticket) async -> Bool {
        let lease = heldLocks.removeValue(forKey: ticket.name)
        renewals.removeValue(forKey: ticket.name)?.cancel()
        lockLosses[ticket.name] = nil
        if let lease { await shared?.unlock(lease) }
        leave(ticket)
        if isClosed, heldLocks.isEmpty { await storage.close() }
        return lease != nil
    }

    /// A lease has ended on its own.
    func lost(_ lease: StorageLease) {
        guard let name = lease.name, heldLocks[name]?.fencingNumber == lease.fencingNumber else { return }
        heldLocks[name] = nil
        renewals.removeValue(forKey: name)?.cancel()
        lockLosses.removeValue(forKey: name)?.tell()
    }

    /// Tells when the lease of a lock that was acquired ends on its own; `nil` if it lasts until it is released.
    func loss(of ticket: LockQueues.Ticket) -> LockLoss? {
        if let lease = heldLocks[ticket.name], lease.timeToLive == nil { return nil }
        let loss = LockLoss()
        if heldLocks[ticket.name] == nil { loss.tell() } else { lockLosses[ticket.name] = loss }
        return loss
    }

    /// Binds what a transaction writes to the leases of its task's locks. Without it a holder that was stopped for longer
    /// than its lease lasts could write over what the next holder has written.
    func fence(_ request: SaveRequest) {
        guard !request.locks.isEmpty, shared != nil else { return }
        request.fences = request.locks.compactMap { name in
            // One that is lost already has no number that the storage accepts.
            let lease = heldLocks[name] ?? StorageLease(name: name, position: position, timeToLive: .zero)
            return lease.timeToLive == nil ? nil : lease
        }
    }

    /// What the storage has to check for the commits of the round.
    var fences: [StorageBatch.Condition] {
        let leases = joined.filter { $0.revision != nil }.flatMap(\.fences)
        return Set(leases).sorted { ($0.name ?? "", $0.fencingNumber) < ($1.name ?? "", $1.fencingNumber) }
            .map { .under($0) }
    }

    /// How many tasks wait for their turn or for another process. For tests.
    var lockWaitCount: Int { lockWaiters.count + lockPauses.count }

    func holdsLock(named name: String) -> Bool { heldLocks[name] != nil }

    /// Fails all waiting tasks, because the store is closed.
    func endLockWaits() {
        for waiter in lockWaiters.values { waiter.resume(throwing: SettingsError.closed(key: nil)) }
        lockWaiters = [:]
        for pause in lockPauses.values { pause.cancel() }
    }

    private func leave(_ ticket: LockQueues.Ticket) {
        guard let next = lockQueues.leave(ticket) else { return }
        // No continuation means that the next task is leaving too.
        lockWaiters.removeValue(forKey: next)?.resume()
    }

    private func waitForTurn(_ ticket: LockQueues.Ticket) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { lockWaiters[ticket] = $0 }
        } onCancel: {
            // Runs after `lockWaiters[ticket]` has been set, because the queue is serial.
            enqueue { $0.lockWaiters.removeValue(forKey: ticket)?.resume(throwing: CancellationError()) }
        }
    }

    private func reserve(_ ticket: LockQueues.Ticket) async throws {
        var backOff = LockBackOff(isRemote: limits.time != nil)
        var random = SystemRandomNumberGenerator()
        while true {
            try Task.checkCancellation()
            guard !isClosed else { throw SettingsError.closed(key: nil) }
            guard let shared else {
                heldLocks[ticket.name] = StorageLease(name: ticket.name, position: position)
                return
            }
            do {
                let asked = time.elapsed()
                let lease = try await call { () throws(StorageError) in try await shared.tryLock(named: ticket.name) }
                if let lease {
                    heldLocks[ticket.name] = lease
                    renewInTime(lease, since: asked)
                    return
                }
            } catch {
                throw SettingsError.storage(error)
            }
            await pause(for: backOff.next(using: &random), ticket)
        }
    }

    /// Renews a lease that ends, each time a third of it has passed. It counts from the moment when it was asked for,
    /// so it ends here before it ends at the storage.
    private func renewInTime(_ lease: StorageLease, since asked: Duration) {
        guard let name = lease.name, let timeToLive = lease.timeToLive else { return }
        let end = LockedValue(asked + timeToLive)
        let first = time.elapsed() + timeToLive / 3
        renewals[name] = Task {
            await withTaskGroup(of: Void.self) { group in
                // Apart from the renewals: one of them may not be answered in time.
                group.addTask { await self.end(lease, at: end) }
                group.addTask { await self.renew(lease, until: end, at: first) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Ends a lease that was not renewed in time.
    private func end(_ lease: StorageLease, at end: LockedValue<Duration>) async {
        while true {
            let due = end.withLock { $0 }
            guard (try? await time.sleep(due)) != nil else { return }
            guard time.elapsed() < end.withLock({ $0 }) else { return lost(lease) }
        }
    }

    private func renew(_ lease: StorageLease, until end: LockedValue<Duration>, at first: Duration) async {
        var (lease, due) = (lease, first)
        while let name = lease.name, let timeToLive = lease.timeToLive,
            heldLocks[name]?.fencingNumber == lease.fencingNumber
        {
            guard let shared, (try? await time.sleep(due)) != nil else { return }
            let asked = time.elapsed()
            guard asked < end.withLock({ $0 }) else { return lost(lease) }
            do throws(StorageError) {
                let renewed = try await call { [lease] () throws(StorageError) in try await shared.renew(lease) }
                end.withLock { $0 = asked + (renewed.timeToLive ?? timeToLive) }
                lease = renewed
            } catch  where error.code == .leaseLost {
                return lost(lease)
            } catch {
                // The storage can't be reached. The next try may still be in time.
            }
            due = asked + timeToLive / 3
        }
    }

    /// Waits, and returns early if the task is cancelled or the store closes.
    private func pause(for duration: Duration, _ ticket: LockQueues.Ticket) async {
        let due = time.elapsed() + duration
        let pause = Task<Void, Never> { [time] in
            // An error only means that the sleep was cancelled.
            try? await time.sleep(due)
        }
        lockPauses[ticket] = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        lockPauses[ticket] = nil
    }
}
