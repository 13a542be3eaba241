extension SettingsStore {
    /// Runs a closure while no other task or process runs one under the same name with the same storage.
    ///
    /// The closure may take as long as it likes. Reading, writing and committing settings go on as usual; only other
    /// requests for exclusive access wait. Tasks of one process take turns in the order of their calls; which process
    /// is next is unspecified. The access is released when the closure returns or throws, and by the operating system
    /// if the process ends. A store that is closed meanwhile keeps the access until then.
    ///
    /// ```swift
    /// let isRight = try await store.withExclusiveAccess(named: "passcode") {
    ///     try await lock.commit { lock.attemptCount += 1 }            // stored before anything is compared
    ///     let isRight = try await verify(passcode)                    // slow on purpose
    ///     if isRight { try await lock.commit { lock.attemptCount = 0 } }
    ///     return isRight
    /// }
    /// ```
    ///
    /// Not reentrant: nesting under the same name throws. This is detected in the same task, and in tasks started in
    /// the closure while it runs.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 ASCII letters, digits, hyphens and underscores. Access under another name is independent.
    ///   - body: The closure to run. It runs where the caller runs.
    /// - Throws: What the closure throws. Before the closure runs: `CancellationError` if the task is cancelled while
    ///   it waits, and ``SettingsError`` if the name is invalid, the access is nested, the store is closed, or the
    ///   storage can't keep others out, such as in a folder that can't be written.
    @discardableResult
    public func withExclusiveAccess<Result>(
        named name: String = "default", _ body: () async throws -> Result
    ) async throws -> Result {
        guard ReservationName.isValid(name) else {
            throw SettingsError(.invalidName, ReservationName.rule(for: name))
        }
        guard !ExclusiveAccess.isHeldByCurrentTask(to: core, named: name) else {
            throw SettingsError(
                .nestedExclusiveAccess,
                "Exclusive access named “\(name)” can't be had inside of itself: this task has it already, and would wait for ever."
            )
        }
        // Only a group that no store has opened lacks a persister, and its store is out of any other caller's reach.
        guard let persister = try open().persister else { return try await body() }
        let ticket = try await persister.takeAccess(named: name)
        guard !Task.isCancelled else {
            await persister.giveUpAccess(ticket)
            throw CancellationError()
        }
        let access = ExclusiveAccess(to: core, named: name)
        do {
            let result = try await ExclusiveAccess.$current.withValue(ExclusiveAccess.current + [access]) {
                try await body()
            }
            access.end()
            await persister.giveUpAccess(ticket)
            return result
        } catch {
            access.end()
            await persister.giveUpAccess(ticket)
            throw error
        }
    }
}

extension SettingsStore {
    /// How many tasks wait for exclusive access, under any name. For tests.
    package var exclusiveAccessWaitCount: Int {
        get async { await core.persister?.accessWaitCount ?? 0 }
    }
}
