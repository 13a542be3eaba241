/// A steady rate of requests, and the number that may come at once.
public struct RateLimit: Sendable, Hashable {
    public var perSecond: Int
    public var burst: Int

    public init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}
