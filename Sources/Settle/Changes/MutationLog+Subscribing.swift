/// The subscribers' side of the log.
extension MutationLog {
    /// Waits until a change of `channel` may have come; returns at once when `isReady` says, under the lock, that one
    /// has, when the log is finished, or when the task is cancelled.
    ///
    /// The check and the parking are one step under the lock that publishes, so no change falls between them.
    nonisolated(nonsending) func wait(
        on channel: Channel, with waiter: Waiter, unless isReady: () -> Bool
    ) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                lock.lock()
                if isFinished || waiter.isCancelled || channel.successor != nil || isReady() {
                    lock.unlock()
                    continuation.resume()
                    return
                }
                let waiters: WaiterList
                if let existing = channel.waiters {
                    waiters = existing
                } else {
                    waiters = WaiterList()
                    channel.waiters = waiters
                }
                waiters.append(waiter, continuation)
                lock.unlock()
            }
        } onCancel: {
            let continuation = lock.withLock {
                waiter.isCancelled = true
                return waiter.leave()
            }
            continuation?.resume()
        }
    }
}
