import Synchronization

extension BackOff {
    /// The back-off between attempts to acquire a name that another process or store has.
    ///
    /// Polled: a blocking lock would block the storage's queue, and file systems do not signal that a lock has become
    /// free.
    ///
    /// - Parameter isRemote: Whether all waiting processes ask the same servers over a network. On this machine an
    ///   attempt costs a system call.
    static func namedLock(isRemote: Bool) -> BackOff {
        isRemote
            ? BackOff(.milliseconds(20) ... .milliseconds(500), jitter: 0.5)
            : BackOff(.milliseconds(1) ... .milliseconds(20))
    }
}

/// A named lock that one task holds, from its acquisition to its release.
final class NamedLock: Sendable {
    /// The locks of the current task, including those inherited from the tasks that started it.
    @TaskLocal static var current: [NamedLock] = []

    private let name: String
    /// Valid while the lock is held, because the store lives at least as long.
    private let store: ObjectIdentifier
    private let isHeld = Atomic(true)

    /// - Throws: ``SettingsError`` if the name is invalid, or if the current task, or one that waits for it, holds this
    ///   lock already, so that waiting would deadlock.
    init(of store: Engine, named name: String) throws(SettingsError) {
        guard LockName.isValid(name) else { throw SettingsError(.invalidName, LockName.rule(for: name)) }
        guard !Self.namesHeldByCurrentTask(to: store).contains(name) else {
            throw SettingsError(
                .nestedLock,
                "The lock “\(name)” is not reentrant: this task already holds it and would wait for itself.")
        }
        self.name = name
        self.store = ObjectIdentifier(store)
    }

    /// Returns the names of the locks held by the current task, or by a task that waits for it.
    static func namesHeldByCurrentTask(to store: Engine) -> [String] {
        if current.isEmpty { return [] }
        // Skip released locks: a task may outlive the lock of the task that started it.
        return current.filter { $0.isHeld.load(ordering: .acquiring) && $0.store == ObjectIdentifier(store) }.map(
            \.name)
    }

    /// Acquires the lock, runs a closure on the caller's actor, and releases the lock.
    ///
    /// - Parameter catchUp: Merges what others have stored, before the closure runs.
    func whileHeld<Result>(
        in locks: NamedLocks, timeout: Duration?, catchingUp catchUp: () async throws -> Void,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let ticket = try await locks.acquire(name, within: timeout)
        guard !Task.isCancelled else {
            await locks.release(ticket)
            throw CancellationError()
        }
        let isolation: (any Actor)? = #isolation
        let loss = await locks.loss(of: ticket)
        do {
            try await catchUp()
            let result = try await Self.$current.withValue(Self.current + [self]) {
                guard let loss else { return try await body() }
                let work = LeasedWork<Result>(actor: isolation, loss: loss)
                return try await withoutActuallyEscaping(body, do: work.run)
            }
            isHeld.store(false, ordering: .releasing)
            guard await locks.release(ticket) else { throw SettingsError.lockLost(name) }
            return result
        } catch {
            isHeld.store(false, ordering: .releasing)
            let wasHeld = await locks.release(ticket)
            // A closure that was cancelled because of that throws the loss instead.
            if !wasHeld, error is CancellationError, !Task.isCancelled { throw SettingsError.lockLost(name) }
            throw error
        }
    }
}
