/// How long to wait for a lock that another process has.
package struct LockPatience: Sendable {
    /// Locks are held for microseconds, or for as long as it takes to write a large file. A process that was stopped in the
    /// middle keeps its lock until it is continued or killed.
    package static let usual = LockPatience(limit: .seconds(10))

    let limit: Duration

    package init(limit: Duration) {
        self.limit = limit
    }

    private static let yields = 20
    private static let shortestPause = Duration.microseconds(50)
    private static let longestPause = Duration.milliseconds(5)

    /// - Throws: ``SystemError/wouldBlock`` if the lock was not to be had in time.
    func lock(_ file: FileDescriptor, at path: FilePath, _ operations: FileOperations) throws(FileError) {
        var attempt = 0
        var waited = Duration.zero
        while true {
            do {
                return try operations.lock(file, at: path)
            } catch {
                guard error.cause == .wouldBlock, waited < limit else { throw error }
            }
            attempt += 1
            guard attempt > Self.yields else {
                yieldThread()
                continue
            }
            // A queue of waiters would be fairer, but no lock that waits has a limit.
            let pause = min(Self.shortestPause * (attempt - Self.yields), Self.longestPause)
            pauseThread(for: pause)
            waited += pause
        }
    }
}
