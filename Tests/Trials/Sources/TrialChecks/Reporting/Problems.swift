/// A count of what went wrong, with the first few sentences.
public struct Problems: Sendable {
    public enum Kind: Sendable {
        /// A broken promise that another figure counts.
        case loss
        /// A failed child, a damaged file, or an unexpected issue.
        case failure
    }

    public private(set) var sentences: [String] = []
    private var counts: [Kind: Int] = [:]
    private static let limit = 5

    public init() {}

    public mutating func add(_ sentence: String, _ kind: Kind = .loss) {
        counts[kind, default: 0] += 1
        if sentences.count < Self.limit { sentences.append(sentence) }
    }

    public mutating func add(_ other: Problems) {
        for (kind, count) in other.counts { counts[kind, default: 0] += count }
        sentences += other.sentences.prefix(max(0, Self.limit - sentences.count))
    }

    public func count(of kind: Kind) -> Int { counts[kind, default: 0] }
}
