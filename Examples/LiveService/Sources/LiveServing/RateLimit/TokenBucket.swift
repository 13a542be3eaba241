/// A steady rate of requests, and the number that may come at once.
struct RateLimit: Sendable, Hashable {
    var perSecond: Int
    var burst: Int
}

/// A bucket of tokens that fills up at a steady rate; each request takes one.
///
/// It has no clock and no lock: callers pass the time.
struct TokenBucket: Sendable {
    private(set) var limit: RateLimit
    /// How many tokens are missing from a full bucket.
    private var used = 0.0
    /// The moment at which `used` was right, as a time since the start.
    private var moment = Duration.zero
    /// Less than this is a rounding error, not a missing token.
    private static let tolerance = 1e-6

    init(limit: RateLimit) { self.limit = limit }

    /// Changes the limit. Used tokens stay used, so that a higher burst adds its tokens at once and changing the limit
    /// gives no second burst; but at most one whole bucket is owed.
    mutating func rebuild(for newLimit: RateLimit, at now: Duration) {
        guard newLimit != limit else { return }
        refill(at: now)
        limit = newLimit
        used = min(used, Double(newLimit.burst))
    }

    /// Takes a token. Returns `nil` if there was one, otherwise the time until there is one.
    mutating func take(at now: Duration) -> Duration? {
        refill(at: now)
        let missing = used + 1 - Double(limit.burst)
        guard missing > Self.tolerance else {
            used += 1
            return nil
        }
        return .seconds(missing / Double(limit.perSecond))
    }

    private mutating func refill(at now: Duration) {
        // A caller that read the clock earlier but arrives later must not turn time back.
        guard now > moment else { return }
        used = max(0, used - (now - moment) / .seconds(1) * Double(limit.perSecond))
        moment = now
    }
}
