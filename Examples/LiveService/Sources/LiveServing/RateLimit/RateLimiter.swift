import Synchronization

/// A token bucket that many requests use at once, whose limit may change at any time.
public final class RateLimiter: Sendable {
    private let bucket: Mutex<TokenBucket>
    private let limit: @Sendable () -> RateLimit
    private let now: @Sendable () -> Duration

    /// - Parameters:
    ///   - clock: What fills the bucket.
    ///   - limit: The limit at the moment. It is asked for each request, so that a change holds for the very next one.
    public init(clock: some Clock<Duration>, limit: @escaping @Sendable () -> RateLimit) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.limit = limit
        bucket = Mutex(TokenBucket(limit: limit()))
    }

    /// Takes a token for a request.
    ///
    /// - Returns: `nil` if the request may go on; else how long it takes until one may.
    public func take() -> Duration? {
        bucket.withLock { bucket in
            // The limit is read under the lock, so that nobody goes back to an older one.
            let now = now()
            bucket.rebuild(for: limit(), at: now)
            return bucket.take(at: now)
        }
    }
}
