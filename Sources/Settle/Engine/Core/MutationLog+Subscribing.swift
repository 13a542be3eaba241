/// The subscribers' side of the log.
extension MutationLog {
    /// Waits until a change of `topic` may have come. Returns immediately if `isReady`, called under the lock,
    /// reports one, if the log is finished, or if the task is cancelled.
    func wait(
        on topic: Topic, with waiter: Waiter, isolation: isolated (any Actor)? = #isolation, unless isReady: () -> Bool
    ) async {
        await withTaskCancellationHandler {
            // Captured, so that the closure stays on the caller's actor. Otherwise each wait would take the task to a
            // thread of the concurrency runtime and back.
            _ = isolation
            await withUnsafeContinuation { continuation in
                park(continuation, on: topic, with: waiter, unless: isReady)
            }
        } onCancel: {
            cancel(waiter)
        }
    }

    /// Parks a subscriber, or resumes it immediately if there is no reason to wait.
    ///
    /// Checking and parking are one step under the lock that publishes, so no change falls between them.
    func park(
        _ continuation: UnsafeContinuation<Void, Never>, on topic: Topic, with waiter: Waiter,
        unless isReady: () -> Bool
    ) {
        lock.lock()
        waiter.isFinished = changes.waking.isFinished || topic.isFinished
        if waiter.isFinished || waiter.isCancelled || waiter.isInterrupted || isReady() {
            lock.unlock()
            continuation.resume()
            return
        }
        topic.park(waiter, continuation)
        lock.unlock()
    }

    /// Removes a subscriber from its list, whether it is parked already or about to park.
    func cancel(_ waiter: Waiter) {
        let continuation = lock.withLock {
            waiter.isCancelled = true
            return waiter.leave()
        }
        continuation?.resume()
    }

    /// Ends a subscriber's current wait, or else its next one.
    func interrupt(_ waiter: Waiter) {
        let continuation = lock.withLock {
            waiter.isInterrupted = true
            return waiter.leave()
        }
        continuation?.resume()
    }
}

extension Waiter {
    /// Ends the present wait on the log that counts the subscriber, or else the next one. Does nothing for a subscriber
    /// that is not counted.
    package func interrupt() { log?.interrupt(self) }
}

extension MutationLog {
    /// A mark that differs as soon as any value may, including that of a key that no group declares.
    struct ContentMark: Equatable {
        fileprivate let changes: UInt64
        fileprivate let arrivals: UInt64
        fileprivate let history: UInt64
    }

    /// Returns the present mark for subscribers of a topic: the store's, the one around it, or that of covered values.
    /// The mark of the one around it also differs when the feed has grown, or may be queried again. Requires the lock.
    func contentMark(of topic: Topic) -> ContentMark {
        ContentMark(
            changes: topic.changeCount, arrivals: changes.arrivals,
            history: topic.hasEveryTransaction ? historyVersion : 0)
    }

    /// Whether the store has closed, so that nothing changes any more. Requires the lock.
    var isFinished: Bool { changes.waking.isFinished }

    /// Wakes followers of undeclared keys, whose external changes are not transactions, and drafts.
    ///
    /// - Parameter covered: Settings of which a value has changed that only a draft may show; notifies their observers.
    func countArrival(covered: [SettingSlot] = []) -> PendingWakeUps {
        lock.withLock {
            changes.arrivals &+= 1
            changes.wakeStore()
            for slot in covered { if let box = slot.box { changes.notify(slot, box.ownNode) } }
            return changes.waking.wakeUps()
        }
    }
}
