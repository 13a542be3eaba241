extension SettingsStore {
    /// Runs something that nobody else runs at the same time under the same name with the same storage: neither another task of
    /// this process nor another process.
    ///
    /// The closure may wait for as long as it likes. It keeps nobody from reading, writing and committing settings; it only keeps out
    /// who asks for exclusive access too. Tasks of one process take turns in the order in which they have asked; which process is next
    /// is open. The access is given up when the closure returns or throws, and by the operating system if the process ends. A
    /// store that is closed meanwhile keeps the access until then.
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
    /// It is not re-entrant: who has it waits for himself if he asks again. That is found out in the same task and in tasks that
    /// were started in the closure, as long as it runs, and throws.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 ASCII letters, digits, hyphens and underscores. Access under another name is independent.
    ///   - body: What to run. It runs where the caller runs.
    /// - Throws: What the closure throws; and, before it has run, `CancellationError` if the task is cancelled while it waits, and
    ///   ``SettingsError`` if the name is no name, if the access is nested, if the store is closed, or if the storage can't keep
    ///   others out, such as in a folder that can't be written.
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
        // Only a group that no store has opened has none, and nobody can get at its store.
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
    /// How many tasks wait for exclusive access, under any name. For tests that wait for that.
    package var exclusiveAccessWaitCount: Int {
        get async { await core.persister?.accessWaitCount ?? 0 }
    }
}
