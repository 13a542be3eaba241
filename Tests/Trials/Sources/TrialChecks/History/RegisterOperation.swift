/// One operation on a number that several processes share.
public enum RegisterOperation: Sendable, Hashable {
    case read
    case write(Int)
    /// Becomes the second value if it is the first.
    case exchange(Int, Int)
    case increment

    /// What the operation makes of a value, and what it answers: the value that it found, whether it has exchanged (1 or
    /// 0), the sum, or for a write the written value.
    public func applied(to value: Int) -> (value: Int, answer: Int) {
        switch self {
        case .read: (value, value)
        case .write(let new): (new, new)
        case .exchange(let old, let new): value == old ? (new, 1) : (value, 0)
        case .increment: (value + 1, value + 1)
        }
    }
}
