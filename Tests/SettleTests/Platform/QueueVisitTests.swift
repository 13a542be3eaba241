import Dispatch
import Foundation
import SettleTestSupport
import Testing

@testable import Settle

/// Work on the thread of a visitor, which must not block.
@Suite(.timeLimit(.minutes(10))) struct QueueVisitTests {
    @Test("Visited work runs on the visitor's thread until it ends the visit, and then on one of the queue's own")
    func threads() async throws {
        let visited = Visited()
        let work = Task(executorPreference: visited.executor.forTasks) { await visited.work() }
        try await eventually("the work waits for its visitor") { visited.waiting.withLock { $0 != nil } }
        let visitor = await onThread {
            visited.waiting.withLock { $0.take() }.map { waiting in visited.executor.visit { waiting.resume() } }
            // The thread stays, so that no other one gets its number.
            visited.end.wait()
            return CurrentThread.number
        }
        let threads = await work.value
        #expect(threads.before == visitor)
        #expect(threads.after != visitor)
    }
}

private actor Visited {
    nonisolated let executor = QueueExecutor(isPreferred: true)
    nonisolated let end = DispatchSemaphore(value: 0)
    nonisolated let waiting = LockedValue<UnsafeContinuation<Void, Never>?>(nil)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Returns the threads that it runs on during and after the visit.
    func work() async -> (before: UInt64, after: UInt64) {
        defer { end.signal() }
        await withUnsafeContinuation { continuation in waiting.withLock { $0 = continuation } }
        let before = CurrentThread.number
        await executor.endVisit()
        return (before, CurrentThread.number)
    }
}

private enum CurrentThread {
    /// A number that no other living thread has.
    static var number: UInt64 {
        var number: UInt64 = 0
        withUnsafeBytes(of: pthread_self()) { number = $0.loadUnaligned(as: UInt64.self) }
        return number
    }
}
