/// Exclusive access: tasks of this process queue up, and the first of them polls the storage until it has the name.
extension Persister {
    /// Waits for exclusive access and acquires it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first, ``SettingsError`` if the store is closed or the
    ///   storage fails. In each case the access is not acquired.
    func takeAccess(named name: String) async throws -> AccessLines.Ticket {
        guard !isClosed else { throw SettingsError.closed(key: nil) }
        let ticket = accessLines.enter(name)
        do {
            if !accessLines.isFirst(ticket) { try await waitForTurn(ticket) }
            try await reserve(ticket)
        } catch {
            leave(ticket)
            throw error
        }
        return ticket
    }

    /// Releases the access for the next task of this or any other process.
    func giveUpAccess(_ ticket: AccessLines.Ticket) {
        storage.giveUp(ticket.name)
        reservedNames.remove(ticket.name)
        leave(ticket)
        if isClosed, reservedNames.isEmpty { storage.close() }
    }

    /// How many tasks wait for their turn or for another process. For tests.
    var accessWaitCount: Int { accessWaiters.count + accessPauses.count }

    /// Fails all waiting tasks, because the store is closed.
    func endAccessWaits() {
        for waiter in accessWaiters.values { waiter.resume(throwing: SettingsError.closed(key: nil)) }
        accessWaiters = [:]
        for pause in accessPauses.values { pause.cancel() }
    }

    private func leave(_ ticket: AccessLines.Ticket) {
        guard let next = accessLines.leave(ticket) else { return }
        // No continuation means that the next task is leaving too.
        accessWaiters.removeValue(forKey: next)?.resume()
    }

    private func waitForTurn(_ ticket: AccessLines.Ticket) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { accessWaiters[ticket] = $0 }
        } onCancel: {
            // Runs after `accessWaiters[ticket]` has been set, because the queue is serial.
            enqueue { $0.accessWaiters.removeValue(forKey: ticket)?.resume(throwing: CancellationError()) }
        }
    }

    private func reserve(_ ticket: AccessLines.Ticket) async throws {
        var backOff = AccessBackOff()
        while true {
            try Task.checkCancellation()
            guard !isClosed else { throw SettingsError.closed(key: nil) }
            do {
                if try storage.tryReserve(ticket.name) {
                    reservedNames.insert(ticket.name)
                    return
                }
            } catch {
                throw SettingsError.storage(error)
            }
            await pause(for: backOff.next(), ticket)
        }
    }

    /// Waits, and returns early if the task is cancelled or the store closes.
    private func pause(for duration: Duration, _ ticket: AccessLines.Ticket) async {
        let due = time.elapsed() + duration
        let pause = Task<Void, Never> { [time] in
            // An error only means that the sleep was cancelled.
            try? await time.sleep(due)
        }
        accessPauses[ticket] = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        accessPauses[ticket] = nil
    }
}
