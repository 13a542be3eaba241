import Dispatch
import SettleTestSupport
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct RecursiveLockTests {
    @Test("Actions after the unlock run in order once the lock is fully released")
    func afterUnlock() {
        let lock = RecursiveLock()
        let ran = LockedValue<[Int]>([])
        lock.lock()
        lock.lock()
        lock.afterUnlock { [weak lock] in
            ran.withLock { $0.append(lock?.isHeldByCurrentThread == true ? -1 : 1) }
        }
        lock.unlock()
        #expect(ran.withLock { $0.isEmpty } && lock.isHeldByCurrentThread)
        lock.afterUnlock { [weak lock] in
            ran.withLock { $0.append(lock?.isHeldByCurrentThread == true ? -2 : 2) }
        }
        lock.unlock()
        #expect(ran.withLock { $0 } == [1, 2] && !lock.isHeldByCurrentThread)
    }

    @Test("A hand-off is granted with the gate closed, and taking it opens the gate")
    func gate() {
        let lock = RecursiveLock()
        let granted = LockedValue<[Bool]>([])
        lock.lock()
        lock.requestHandOff { [weak lock] in
            let isClosed = lock?.isGateClosed == true
            granted.withLock { $0.append(isClosed) }
        }
        #expect(granted.withLock { $0.isEmpty } && !lock.isGateClosed)
        lock.unlock()
        #expect(granted.withLock { $0 } == [true])
        #expect(lock.tryLock(within: .seconds(3_600)) && !lock.isGateClosed)
        lock.unlock()
    }

    @Test("A thread that waits for a hand-off gets the lock before threads that come later")
    func standingBack() async throws {
        for _ in 0..<50 {
            let lock = RecursiveLock(gateLimit: .seconds(3_600))
            let order = LockedValue<[String]>([])
            let (taken, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let owner: Void = onThread {
                lock.lock()
                taken.signal()
                release.wait()
                lock.unlock()
            }
            await onThread { taken.wait() }
            async let turn: Void = onThread {
                guard lock.tryLock(within: .seconds(3_600)) else { return }
                order.withLock { $0.append("turn") }
                lock.unlock()
            }
            try await eventually("the gate is closed") { lock.isGateClosed }
            let arrived = DispatchSemaphore(value: 0)
            async let later: Void = onThread {
                arrived.signal()
                lock.lock()
                order.withLock { $0.append("later") }
                lock.unlock()
            }
            await onThread { arrived.wait() }
            for _ in 0..<20 { await Task.yield() }
            release.signal()
            _ = await (owner, turn, later)
            #expect(order.withLock { $0 } == ["turn", "later"])
        }
    }
}
