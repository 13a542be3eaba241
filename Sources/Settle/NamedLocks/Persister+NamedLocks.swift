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

    /// Releases the access for the next task of this or any other process.
    func releaseLock(_ ticket: LockQueues.Ticket) {
        storage.giveUp(ticket.name)
        lockedNames.remove(ticket.name)
        leave(ticket)
        if isClosed, lockedNames.isEmpty { storage.close() }
    }

    /// How many tasks wait for their turn or for another process. For tests.
    var lockWaitCount: Int { lockWaiters.count + lockPauses.count }

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
        var backOff = LockBackOff()
        while true {
            try Task.checkCancellation()
            guard !isClosed else { throw SettingsError.closed(key: nil) }
            do {
                if try storage.tryReserve(ticket.name) {
                    lockedNames.insert(ticket.name)
                    return
                }
            } catch {
                throw SettingsError.storage(error)
            }
            await pause(for: backOff.next(), ticket)
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
