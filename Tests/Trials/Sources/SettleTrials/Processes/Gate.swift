import Foundation

/// A barrier: no thread passes before all have arrived.
final class Gate: @unchecked Sendable {
    // Sendable: `missing` is guarded by `condition`.
    private let condition = NSCondition()
    private var missing: Int

    init(count: Int) {
        missing = count
    }

    func pass() {
        condition.lock()
        defer { condition.unlock() }
        missing -= 1
        if missing == 0 { condition.broadcast() }
        while missing > 0 { condition.wait() }
    }
}
