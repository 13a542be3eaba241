import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct SuspensionCheckTests {
    private typealias Block = @Sendable () -> Void

    @Test("A queue that is never drained keeps one block and few locks, however many locks request a check")
    func neverDrained() {
        let blocks = LockedValue<[Block]>([])
        let check = SuspensionCheck(byTask: false) { block in blocks.withLock { $0.append(block) } }
        for _ in 0..<1_000 {
            let lock = RecursiveLock()
            lock.lockForChange()
            check.request(for: lock)
            lock.unlock()
        }
        let free = (0..<1_000).map { _ in RecursiveLock() }
        for lock in free { check.request(for: lock) }
        #expect(blocks.withLock { $0.count } == 1 && check.count <= SuspensionCheck.roughLimit)
    }

    @Test("A check that has run makes room for the next, which all requests until then share")
    func again() {
        let blocks = LockedValue<[Block]>([])
        let check = SuspensionCheck(byTask: false) { block in blocks.withLock { $0.append(block) } }
        let locks = [RecursiveLock(), RecursiveLock()]
        for round in 1...3 {
            for lock in locks { check.request(for: lock) }
            #expect(blocks.withLock { $0.count } == round && check.count == 2)
            blocks.withLock { $0.last }?()
            #expect(check.count == 0)
        }
    }

    @Test("A held lock stays registered, however many others come and go")
    func heldLock() {
        let check = SuspensionCheck(byTask: false) { _ in }
        let held = (0..<100).map { _ in RecursiveLock() }
        for lock in held {
            lock.lock()
            check.request(for: lock)
        }
        for _ in 0..<1_000 { check.request(for: RecursiveLock()) }
        #expect(check.count >= 100 && check.count <= 101)
        for lock in held { lock.unlock() }
    }
}
