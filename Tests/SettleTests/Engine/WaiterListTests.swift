import SettleTestSupport
import Testing

@testable import Settle

/// Subscribers that are cancelled while the broadcaster wakes them.
@Suite(.timeLimit(.minutes(10))) struct WaiterListTests {
    private let log = MutationLog(logLimit: 16, logCostLimit: 1 << 20)

    /// Starts a task that waits for a change of the store. Returns once it is parked.
    ///
    /// - Parameter isFirst: Whether the list of waiters is empty.
    private func park(_ waiter: Waiter, isFirst: Bool) async throws -> Task<Void, Never> {
        let task = Task { [log] in await log.wait(on: log.root, with: waiter) { false } }
        try await eventually("the subscriber is parked") {
            log.lock.withLock {
                guard let waiters = log.root.waiters, !waiters.isEmpty else { return false }
                return waiters.hasOnlyOne == isFirst
            }
        }
        return task
    }

    /// Takes the waiters of the store, like the broadcaster after a change.
    private func take() -> [WaiterList] {
        log.lock.withLock {
            log.changes.waking.add(log.root)
            guard case .work(let lists) = log.changes.waking.popWaiters() else { return [] }
            return lists
        }
    }

    @Test("A subscriber that is cancelled after the broadcaster has taken it is resumed by the broadcaster alone")
    func cancelledWhenTaken() async throws {
        let (one, other) = (Waiter(countedIn: log), Waiter(countedIn: log))
        let tasks = [try await park(one, isFirst: true), try await park(other, isFirst: false)]
        let lists = take()
        #expect(lists.count == 1)
        // The cancellation and the interruption resume nobody: a second resume would crash.
        log.cancel(one)
        log.interrupt(other)
        let left = log.lock.withLock { [one.leave(), other.leave()].compactMap(\.self) }
        #expect(left.isEmpty)
        for list in lists { list.resumeAll() }
        for task in tasks { await task.value }
        #expect(lists.allSatisfy { $0.isEmpty })
    }

    @Test("Several steps that wake once resume a subscriber when the last one has ended")
    func wakingOnce() async throws {
        let task = try await park(Waiter(countedIn: log), isFirst: true)
        log.wakingOnce {
            for _ in 1...2 {
                let wakeUps = log.lock.withLock {
                    log.changes.waking.add(log.root)
                    return log.changes.waking.wakeUps(wakesPersister: true)
                }
                #expect(wakeUps.broadcaster.isNone && wakeUps.wakesPersister)
                wakeUps.resumeTasks(of: log)
            }
            #expect(log.lock.withLock { log.root.waiters?.hasOnlyOne } == true)
        }
        await task.value
        // Later ones wake at once again.
        let other = try await park(Waiter(countedIn: log), isFirst: true)
        log.lock.withLock {
            log.changes.waking.add(log.root)
            return log.changes.waking.wakeUps()
        }.resumeTasks(of: log)
        await other.value
    }

    @Test("A log that is finished while wakes are held wakes its subscribers") func finishedWhileHeld() async throws {
        let task = try await park(Waiter(countedIn: log), isFirst: true)
        log.wakingOnce { log.finish().resumeTasks(of: log) }
        await task.value
    }

    @Test("A subscriber that was woken can wait again, and be cancelled then")
    func cancelledAfterAnotherWait() async throws {
        let waiter = Waiter(countedIn: log)
        let woken = try await park(waiter, isFirst: true)
        for list in take() { list.resumeAll() }
        await woken.value
        let cancelled = try await park(waiter, isFirst: true)
        log.cancel(waiter)
        await cancelled.value
        #expect(log.lock.withLock { log.root.waiters?.isEmpty } == true)
    }

    @Test("A parked subscriber that is cancelled leaves the others in the list", arguments: [0, 1])
    func cancelledWhenParked(index: Int) async throws {
        let waiters = [Waiter(countedIn: log), Waiter(countedIn: log)]
        let tasks = [try await park(waiters[0], isFirst: true), try await park(waiters[1], isFirst: false)]
        log.cancel(waiters[index])
        await tasks[index].value
        #expect(log.lock.withLock { log.root.waiters?.hasOnlyOne } == true)
        for list in take() { list.resumeAll() }
        await tasks[1 - index].value
    }

    @Test("Two tasks that wait at once with copies of one iterator stop the program") func copies() async {
        await #expect(processExitsWith: .failure) {
            let (topic, waiter) = (Topic(parent: nil), Waiter(countedIn: nil))
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                topic.park(waiter, continuation)
                topic.park(waiter, continuation)
                continuation.resume()
            }
        }
    }
}
