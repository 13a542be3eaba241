import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Blocks all threads of the concurrency runtime, then runs a closure on another thread.
func blockTheRuntime(then body: @escaping @Sendable () -> Void) {
    let blocked = DispatchSemaphore(value: 0)
    let never = DispatchSemaphore(value: 0)
    let threads = ProcessInfo.processInfo.activeProcessorCount
    for _ in 0..<(threads * 4) {
        Task.detached {
            blocked.signal()
            block(on: never)
        }
    }
    DispatchQueue(label: "test").async {
        // Waits for as many tasks as there are threads; the remaining tasks show that no thread is left.
        for _ in 0..<max(1, threads - 1) { blocked.wait() }
        body()
    }
}

/// Blocks the calling thread, also that of a task, which may not call `wait` itself.
func block(on semaphore: DispatchSemaphore) {
    semaphore.wait()
}
