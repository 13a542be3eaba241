import Synchronization

/// 1, 2, 3 and so on, for whichever task asks.
final class Numbers: Sendable {
    private let last = Atomic(0)

    func next() -> Int {
        last.add(1, ordering: .relaxed).newValue
    }
}
