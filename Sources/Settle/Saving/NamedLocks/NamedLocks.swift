/// The named locks that a store's tasks hold or wait for. Tasks of this process queue up, and the first of a queue
/// polls the storage until it has the name.
///
/// An actor on a queue of its own: locks are acquired, renewed and released at the same time as saves, not in turn with
/// them. Otherwise a commit made under a lock could not be saved while another task waits, or a lease could not be
/// renewed while the storage blocks the persister's queue.
actor NamedLocks {
    private let executor = QueueExecutor()
    private let storage: any Storage
    private let shared: (any SharedStorage)?
    private let time: TimeSource
    private var queues = LockQueues()
    private var waiters: [LockQueues.Ticket: CheckedContinuation<Void, any Error>] = [:]
    private var pauses: [LockQueues.Ticket: Task<Void, Never>] = [:]
    nonisolated let leases = HeldLeases()
    /// The tasks that renew them.
    private var renewals: [String: Task<Void, Never>] = [:]
    /// Notified when a lease ends on its own.
    private var losses: [String: LockLoss] = [:]
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ storage: any Storage, time: TimeSource) {
        self.storage = storage
        self.time = time
        shared = storage as? any SharedStorage
    }

    /// Waits for a named lock and acquires it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first, ``SettingsError`` if the store is closed or the
    ///   storage fails. In each case the lock is not acquired.
    private func acquire(_ name: String) async throws -> LockQueues.Ticket {
        guard !isClosed else { throw SettingsError.closed(key: nil) }
        let ticket = queues.enter(name)
        do {
            try await waitToBeFirst(ticket)
            try await reserve(ticket)
        } catch {
            leave(ticket)
            throw error
        }
        return ticket
    }

    /// Acquires a named lock as `acquire` does, and gives up after the time limit, if there is one.
    ///
    /// - Throws: Also ``SettingsError/Code/lockTimedOut``.
    func acquire(_ name: String, within timeout: Duration?) async throws -> LockQueues.Ticket {
        guard let timeout else { return try await acquire(name) }
        let due = time.elapsed() + timeout.bounded
        let acquisition = Task { try await acquire(name) }
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
            let holder = leases[name] == nil ? shared?.holder(ofLockNamed: name) : "another task of this process"
            throw SettingsError.lockTimedOut(name, timeout, holder: holder ?? "another process")
        }
    }

    /// Releases a lock for the next task of this or any other process.
    ///
    /// - Returns: Whether it was held until now, as far as the storage has reported.
    @discardableResult
    func release(_ ticket: LockQueues.Ticket) async -> Bool {
        let hasLasted = if let lease = leases[ticket.name] { await isHeld(lease) } else { false }
        let lease = leases.remove(ticket.name)
        renewals.removeValue(forKey: ticket.name)?.cancel()
        losses[ticket.name] = nil
        if let lease { await shared?.unlock(lease) }
        leave(ticket)
        if isClosed, leases.isEmpty { await storage.close() }
        return hasLasted && lease != nil
    }

    /// Returns whether a lease is still held, as far as the storage reports. A lease with an end is renewed
    /// continuously.
    private func isHeld(_ lease: StorageLease) async -> Bool {
        guard lease.timeToLive == nil else { return true }
        return await !hasEnded(lease)
    }

    /// Returns whether the storage reports that a lease has ended. This renews a lease with an end.
    func hasEnded(_ lease: StorageLease) async -> Bool {
        guard let shared else { return false }
        do throws(StorageError) {
            _ = try await call { () throws(StorageError) in try await shared.renew(lease) }
        } catch {
            return error.code == .leaseLost
        }
        return false
    }

    /// Makes a call of the storage within its limits, on this queue, which the call may block.
    private func call<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        let (limits, time) = (storage.limits, time)
        return try await withTaskExecutorPreference(executor.forTasks) { () async throws(StorageError) in
            try await limits.call(time, body)
        }
    }

    /// Handles a lease that has ended on its own.
    func lost(_ lease: StorageLease) {
        guard let name = lease.name, leases.has(lease) else { return }
        leases.remove(name)
        renewals.removeValue(forKey: name)?.cancel()
        losses.removeValue(forKey: name)?.tell()
    }

    /// Returns an object that reports when the lease of an acquired lock ends on its own; `nil` if it lasts until it is
    /// released.
    func loss(of ticket: LockQueues.Ticket) -> LockLoss? {
        if let lease = leases[ticket.name], lease.timeToLive == nil { return nil }
        let loss = LockLoss()
        if leases[ticket.name] == nil { loss.tell() } else { losses[ticket.name] = loss }
        return loss
    }

    /// The number of tasks that wait for another task or another process. For tests.
    var waitCount: Int { waiters.count + pauses.count }

    /// Fails all waiting tasks, and closes the storage once no lock is held: closing it would end those in use.
    func close() async {
        isClosed = true
        for waiter in waiters.values { waiter.resume(throwing: SettingsError.closed(key: nil)) }
        waiters = [:]
        for pause in pauses.values { pause.cancel() }
        if leases.isEmpty { await storage.close() }
    }

    private func leave(_ ticket: LockQueues.Ticket) {
        guard let next = queues.leave(ticket) else { return }
        // No continuation means that the next task is leaving too.
        waiters.removeValue(forKey: next)?.resume()
    }

    private func waitToBeFirst(_ ticket: LockQueues.Ticket) async throws {
        guard !queues.isFirst(ticket) else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait($0, of: ticket) }
        } onCancel: {
            Task(executorPreference: executor.forTasks) { await self.cancelWait(of: ticket) }
        }
    }

    /// Lets a continuation wait, unless its turn, the end or a cancellation has come since its task looked: a task that
    /// prefers another executor leaves the queue for each call.
    private func wait(_ continuation: CheckedContinuation<Void, any Error>, of ticket: LockQueues.Ticket) {
        if isClosed {
            continuation.resume(throwing: SettingsError.closed(key: nil))
        } else if Task.isCancelled {
            continuation.resume(throwing: CancellationError())
        } else if queues.isFirst(ticket) {
            continuation.resume()
        } else {
            waiters[ticket] = continuation
        }
    }

    private func cancelWait(of ticket: LockQueues.Ticket) {
        waiters.removeValue(forKey: ticket)?.resume(throwing: CancellationError())
    }

    private func reserve(_ ticket: LockQueues.Ticket) async throws {
        var backOff = BackOff.namedLock(isRemote: storage.limits.time != nil)
        while true {
            try Task.checkCancellation()
            guard !isClosed else { throw SettingsError.closed(key: nil) }
            guard let shared else {
                leases.add(StorageLease(name: ticket.name, position: StoragePosition(0)), named: ticket.name)
                return
            }
            let asked = time.elapsed()
            let lease: StorageLease?
            do throws(StorageError) {
                lease = try await call { () throws(StorageError) in try await shared.tryLock(named: ticket.name) }
            } catch {
                throw SettingsError.storage(error)
            }
            if let lease {
                // The store may have closed during the call, and its storage with it.
                if isClosed {
                    await shared.unlock(lease)
                    throw SettingsError.closed(key: nil)
                }
                leases.add(lease, named: ticket.name)
                renewInTime(lease, since: asked)
                return
            }
            await pause(for: backOff.next(), ticket)
        }
    }

    /// Renews a limited lease each time a third of it has passed. Its time counts from the moment when it was asked
    /// for, so it ends here before it ends at the storage.
    private func renewInTime(_ lease: StorageLease, since asked: Duration) {
        guard let name = lease.name, let timeToLive = lease.timeToLive?.bounded else { return }
        let end = LockedValue(asked + timeToLive)
        let first = time.elapsed() + timeToLive / 3
        renewals[name] = Task {
            await withTaskGroup(of: Void.self) { group in
                // Separate from the renewals: one of them may not be answered in time.
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
        while let timeToLive = lease.timeToLive?.bounded, leases.has(lease) {
            guard let shared, (try? await time.sleep(due)) != nil else { return }
            let asked = time.elapsed()
            guard asked < end.withLock({ $0 }) else { return lost(lease) }
            do throws(StorageError) {
                let renewed = try await call { [lease] () throws(StorageError) in try await shared.renew(lease) }
                end.withLock { $0 = asked + (renewed.timeToLive?.bounded ?? timeToLive) }
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
        // The closing ends the pauses that it finds.
        guard !isClosed else { return }
        let due = time.elapsed() + duration
        let pause = Task<Void, Never> { [time] in
            // An error only means that the sleep was cancelled.
            try? await time.sleep(due)
        }
        pauses[ticket] = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        pauses[ticket] = nil
    }
}
