/// An operation on a number that several processes share.
public enum RegisterOperation: Sendable, Hashable {
    case read
    case write(Int)
    /// Sets a value, and answers with the one that it finds.
    case replace(Int)
    /// Sets the second value if the current one is the first.
    case exchange(Int, Int)
    case increment

    /// The new value and the answer: the value found (read, replaced), whether it was exchanged (1 or 0), the sum, or
    /// the written value.
    public func applied(to value: Int) -> (value: Int, answer: Int) {
        switch self {
        case .read: (value, value)
        case .write(let new): (new, new)
        case .replace(let new): (new, value)
        case .exchange(let old, let new): value == old ? (new, 1) : (value, 0)
        case .increment: (value + 1, value + 1)
        }
    }
}
