import Settle

extension PasscodeLockout {
    /// Runs an operation while no other task or process tries a passcode of this lock, by whatever names it reaches the
    /// files. Once it has its turn, cancelling the task changes nothing.
    ///
    /// - Returns: `nil` if it never got its turn.
    func turn<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result? {
        do {
            return try await withBothFiles {
                isBusy = true
                // In a separate task, because a commit does not begin in a cancelled one.
                let result = await Task { await body() }.value
                isBusy = false
                publishChange()
                return result
            }
        } catch is CancellationError {
            return nil
        } catch {
            failure = error as? LockStatus.Reason ?? LockStatus.Reason(saving: error)
            publishChange()
            return nil
        }
    }

    /// Keeps others from both files, not only from the first: another name may lead to one of them alone.
    ///
    /// The copies' own names give the order, which is the same by every path. Where there are none yet, or where they
    /// have been edited, two may wait for each other: so a holder of one of the locks does not wait long for the other.
    private func withBothFiles<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let isInOrder = copies[0].place ?? "" <= copies[1].place ?? ""
        let (first, second) = isInOrder ? (stores[0], stores[1]) : (stores[1], stores[0])
        // A process that may read the lock files can hold them for ever.
        let deadline = ContinuousClock.now + patience
        while true {
            let left = max(.zero, deadline - .now)
            do {
                return try await first.withLock(named: turnName, timeout: left) {
                    let pause = min(left, .milliseconds(.random(in: 5...50)))
                    return try await second.withLock(named: turnName, timeout: pause, body)
                }
            } catch let error as SettingsError where error.code == .lockTimedOut {
                guard .now < deadline else {
                    throw LockStatus.Reason.busy("the lock was not free for \(patience). \(error)")
                }
            }
        }
    }
}
