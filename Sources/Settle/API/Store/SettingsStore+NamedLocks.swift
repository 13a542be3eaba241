extension SettingsStore {
    /// Runs a closure while no other task or process runs one under the same name with the same storage.
    ///
    /// When the closure begins, everything that was committed under the lock before is in force, and so is everything
    /// else that others had stored by then. The closure may take as long as it likes. Reading, writing and committing
    /// settings continue as usual; only other requests for the lock wait. Tasks of one process get the lock in the
    /// order of their calls; which process is next is unspecified. The lock is released when the closure returns or
    /// throws, and by the operating system if the process ends. A store that is closed meanwhile keeps the lock until
    /// then.
    ///
    /// ```swift
    /// let isRight = try await store.withLock(named: "passcode") {
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
    ///   - name: 1 to 64 ASCII letters, digits, hyphens and underscores. Locks of other names are independent.
    ///   - timeout: The time to wait for the lock, by the store's clock. Default: until the task is cancelled.
    ///   - body: The closure to run. It runs where the caller runs.
    /// - Throws: The closure's error. Before the closure runs: `CancellationError` if the task is cancelled while it
    ///   waits, and ``SettingsError`` if the name is invalid, the lock is nested, the store is closed, the time is over
    ///   (``SettingsError/Code/lockTimedOut``, which names the holder where the system reports it), the storage has no
    ///   named locks, can't exclude others, such as in a folder that can't be written, or can't be read. After it, and
    ///   from a commit in it, which then stores nothing: ``SettingsError`` with ``SettingsError/Code/lockLost`` if the
    ///   lock has been lost. Either a storage that limits the lock's time could not be reached to extend it: the task
    ///   of the closure is then cancelled, before another process can acquire the lock. Or the lock's file beside the
    ///   settings was removed, and another process may have acquired the lock in the meantime.
    @discardableResult
    public func withLock<Result>(
        named name: String = "default", timeout: Duration? = nil, _ body: () async throws -> Result
    ) async throws -> Result {
        let lock = try NamedLock(of: core, named: name)
        let persister = try open().persister
        return try await lock.whileHeld(
            in: persister.locks, timeout: timeout, catchingUp: { try await persister.catchUp() }, body)
    }
}
