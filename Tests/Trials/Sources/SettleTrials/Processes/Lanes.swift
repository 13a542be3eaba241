import Foundation
import Synchronization

/// Work on several threads at once. Not tasks: trials block, and the runtime has as many threads as processors.
enum Lanes {
    /// Runs the body once per lane, and returns when all have ended.
    ///
    /// - Throws: The error of the first lane that threw.
    static func run<Result: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Result) throws
        -> [Result]
    {
        let results = Results<Result>()
        let group = DispatchGroup()
        for lane in 0..<count {
            group.enter()
            let thread = Thread {
                results.set(Swift.Result { try body(lane) }, for: lane)
                group.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        group.wait()
        return try results.all(count)
    }

    private final class Results<Value: Sendable>: Sendable {
        private let byLane = Mutex<[Int: Swift.Result<Value, any Error>]>([:])

        func set(_ result: Swift.Result<Value, any Error>, for lane: Int) {
            byLane.withLock { $0[lane] = result }
        }

        func all(_ count: Int) throws -> [Value] {
            let results = byLane.withLock { $0 }
            return try (0..<count).compactMap { try results[$0]?.get() }
        }
    }
}
