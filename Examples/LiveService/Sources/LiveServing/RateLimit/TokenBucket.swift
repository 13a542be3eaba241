/// A bucket of tokens that fills up at a steady rate; each request takes one.
///
/// It has no clock and no lock: whoever calls it says what time it is.
public struct TokenBucket: Sendable {
    public private(set) var limit: RateLimit
    /// How many tokens are missing from the full bucket.
    private var used = 0.0
    /// The moment at which `used` was right, as a time since some start.
    private var moment = Duration.zero
    /// Less than this is a rounding error and no missing token.
    private static let tolerance = 1e-6

    public init(limit: RateLimit) {
        self.limit = limit
    }

    /// Goes over to another limit. What has been used stays used, so that a higher burst gives its tokens at once and nobody
    /// gets a second burst by changing a limit; but nobody owes more than a whole bucket.
    public mutating func rebuild(for newLimit: RateLimit, at now: Duration) {
        guard newLimit != limit else { return }
        refill(at: now)
        limit = newLimit
        used = min(used, Double(newLimit.burst))
    }

    /// Takes a token.
    ///
    /// - Returns: `nil` if there was one; else how long it takes until there is one.
    public mutating func take(at now: Duration) -> Duration? {
        refill(at: now)
        let missing = used + 1 - Double(limit.burst)
        guard missing > Self.tolerance else {
            used += 1
            return nil
        }
        return .seconds(missing / Double(limit.perSecond))
    }

    private mutating func refill(at now: Duration) {
        // A caller that read the clock before another one and came after it must not turn time back.
        guard now > moment else { return }
        used = max(0, used - (now - moment) / .seconds(1) * Double(limit.perSecond))
        moment = now
    }
}
