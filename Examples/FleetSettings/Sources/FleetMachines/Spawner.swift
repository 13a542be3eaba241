import Foundation
import Synchronization

/// Starts processes from one thread that never ends: the kernel takes the end of the thread that has started a child
/// for the end of its parent.
final class Spawner: Sendable {
    static let shared = Spawner()

    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                arrivals.wait()
                jobs.withLock { $0.removeFirst() }()
            }
        }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Runs a closure there, and waits for it.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        let done = DispatchSemaphore(value: 0)
        jobs.withLock { jobs in
            jobs.append {
                let result = Result { try body() }
                outcome.value.withLock { $0 = result }
                done.signal()
            }
        }
        arrivals.signal()
        done.wait()
        guard let result = outcome.value.withLock({ $0 }) else { throw MachineError("A process could not be started.") }
        return try result.get()
    }
}
