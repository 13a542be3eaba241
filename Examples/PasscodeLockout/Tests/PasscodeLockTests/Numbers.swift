import Synchronization

/// Hands out 1, 2, 3 and so on, to any task.
final class Numbers: Sendable {
    private let last = Atomic(0)

    func next() -> Int {
        last.add(1, ordering: .relaxed).newValue
    }
}
