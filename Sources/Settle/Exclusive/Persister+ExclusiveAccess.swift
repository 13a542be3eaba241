/// Exclusive access: tasks of this process wait in a line, and the first of it asks the storage until it has the name.
extension Persister {
    /// Waits for exclusive access, and takes it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before it has it, ``SettingsError`` if the store is closed or the
    ///   storage fails. Then it has nothing.
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

    /// Gives the access up, for the next of this process or any other.
    func giveUpAccess(_ ticket: AccessLines.Ticket) {
        storage.giveUp(ticket.name)
        reservedNames.remove(ticket.name)
        leave(ticket)
        if isClosed, reservedNames.isEmpty { storage.close() }
    }

    /// How many wait for their turn, or for another process. For tests that wait for that.
    var accessWaitCount: Int { accessWaiters.count + accessPauses.count }

    /// Tells everybody who waits that the store is closed.
    func endAccessWaits() {
        for waiter in accessWaiters.values { waiter.resume(throwing: SettingsError.closed(key: nil)) }
        accessWaiters = [:]
        for pause in accessPauses.values { pause.cancel() }
    }

    private func leave(_ ticket: AccessLines.Ticket) {
        guard let next = accessLines.leave(ticket) else { return }
        // If there is nobody, he is just leaving too.
        accessWaiters.removeValue(forKey: next)?.resume()
    }

    private func waitForTurn(_ ticket: AccessLines.Ticket) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { accessWaiters[ticket] = $0 }
        } onCancel: {
            // Comes after the waiter has been noted, because this queue does one thing at a time.
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

    /// Ends early if the task is cancelled or the store is closed.
    private func pause(for duration: Duration, _ ticket: AccessLines.Ticket) async {
        let due = time.elapsed() + duration
        let pause = Task<Void, Never> { [time] in
            // An error only says that it has ended early.
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
