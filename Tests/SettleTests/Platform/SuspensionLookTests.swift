import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct SuspensionLookTests {
    private typealias Block = @Sendable () -> Void

    @Test("A queue that is never drained keeps one block and few locks, however many locks request a look")
    func neverDrained() {
        let blocks = LockedValue<[Block]>([])
        let look = SuspensionLook(byTask: false) { block in blocks.withLock { $0.append(block) } }
        for _ in 0..<1_000 {
            let lock = RecursiveLock()
            lock.lockForChange()
            look.request(for: lock)
            lock.unlock()
        }
        let free = (0..<1_000).map { _ in RecursiveLock() }
        for lock in free { look.request(for: lock) }
        #expect(blocks.withLock { $0.count } == 1 && look.count <= SuspensionLook.roughLimit)
    }

    @Test("A look that has run makes room for the next, which all requests until then share")
    func again() {
        let blocks = LockedValue<[Block]>([])
        let look = SuspensionLook(byTask: false) { block in blocks.withLock { $0.append(block) } }
        let locks = [RecursiveLock(), RecursiveLock()]
        for round in 1...3 {
            for lock in locks { look.request(for: lock) }
            #expect(blocks.withLock { $0.count } == round && look.count == 2)
            blocks.withLock { $0.last }?()
            #expect(look.count == 0)
        }
    }

    @Test("A held lock stays registered, however many others come and go")
    func heldLock() {
        let look = SuspensionLook(byTask: false) { _ in }
        let held = (0..<100).map { _ in RecursiveLock() }
        for lock in held {
            lock.lock()
            look.request(for: lock)
        }
        for _ in 0..<1_000 { look.request(for: RecursiveLock()) }
        #expect(look.count >= 100 && look.count <= 101)
        for lock in held { lock.unlock() }
    }
}
