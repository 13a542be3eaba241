/// The time-out of one call of a storage for locks that other processes have.
///
/// It is measured in real time, on a clock that cannot be set: a pause may last several times as long as was asked for.
/// All waits of one call count together, however many locks it takes.
package struct LockTimeout: Sendable {
    /// Locks are held for microseconds, or for as long as it takes to write a large file. A process that was stopped in
    /// the middle keeps its lock until it is continued or killed.
    package static var usual: LockTimeout { LockTimeout(limit: .seconds(10)) }

    let limit: Duration
    private let elapsed: @Sendable () -> Duration
    private let pause: @Sendable (Duration) -> Void
    /// The time that the current call has waited.
    private var waited = Duration.zero
    /// Whether the last call timed out. The next one waits a tenth of the limit then, so that a caller behind several
    /// calls does not wait the whole limit for each of them.
    private var hasTimedOut = false

    package init(limit: Duration) {
        let start = ContinuousClock.now
        self.init(limit: limit, elapsed: { start.duration(to: .now) }, pause: { pauseThread(for: $0) })
    }

    /// - Parameters:
    ///   - elapsed: The time since any fixed moment.
    ///   - pause: Suspends the thread for about as long.
    package init(
        limit: Duration, elapsed: @escaping @Sendable () -> Duration, pause: @escaping @Sendable (Duration) -> Void
    ) {
        self.limit = limit
        self.elapsed = elapsed
        self.pause = pause
    }

    private static let yields = 20
    private static let shortestPause = Duration.microseconds(50)
    private static let longestPause = Duration.milliseconds(5)

    /// Begins another call.
    package mutating func renew() {
        waited = hasTimedOut ? limit - limit / 10 : .zero
    }

    /// - Throws: ``SystemError/wouldBlock`` if the lock could not be acquired in time.
    package mutating func lock(
        _ file: FileDescriptor, at path: FilePath, _ operations: FileOperations
    ) throws(FileError) {
        do throws(FileError) {
            try wait(for: file, at: path, operations)
            hasTimedOut = false
        } catch {
            hasTimedOut = error.cause == .wouldBlock
            throw error
        }
    }

    private mutating func wait(
        for file: FileDescriptor, at path: FilePath, _ operations: FileOperations
    ) throws(FileError) {
        if try operations.tryLock(file, at: path) { return }
        let start = elapsed()
        let before = waited
        defer { waited = before + (elapsed() - start) }
        var attempt = 0
        while true {
            let left = limit - before - (elapsed() - start)
            guard left > .zero else {
                throw FileError(
                    action: "lock", path: path.text, cause: .wouldBlock,
                    holder: operations.lockHolder(of: file, at: path))
            }
            attempt += 1
            if attempt > Self.yields {
                // A queue of waiters would be fairer, but lock calls that wait have no time limit.
                pause(min(Self.shortestPause * (attempt - Self.yields), Self.longestPause, left))
            } else {
                yieldThread()
            }
            if try operations.tryLock(file, at: path) { return }
        }
    }
}

extension FileOperations {
    /// - Returns: False if another process has the lock. Some file systems have no locks: there, only one process may
    ///   use the file, and this succeeds.
    func tryLock(_ file: FileDescriptor, at path: FilePath) throws(FileError) -> Bool {
        do {
            try lock(file, at: path)
        } catch {
            switch error.cause {
            case .wouldBlock: return false
            case .noLocks, .notSupported, .unimplemented: return true
            default: throw error
            }
        }
        return true
    }
}
