import Foundation
import Synchronization

/// A wall clock that can be set while a service works.
final class MovableClock: Sendable {
    private let ahead = Mutex(0)

    /// - Parameter seconds: How far it is ahead of the machine's from now on; negative if it is behind.
    func set(ahead seconds: Int) { ahead.withLock { $0 = seconds } }

    /// In seconds since 2001-01-01 00:00 UTC.
    func time() -> Double { Date().timeIntervalSinceReferenceDate + Double(ahead.withLock { $0 }) }
}
