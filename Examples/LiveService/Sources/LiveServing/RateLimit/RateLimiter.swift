import Synchronization

/// A token bucket shared by many requests, whose limit may change at any time.
final class RateLimiter: Sendable {
    private let bucket: Mutex<TokenBucket>
    private let limit: @Sendable () -> RateLimit
    private let now: @Sendable () -> Duration

    /// - Parameter limit: The current limit. It is read for each request, so that a change applies to the very next one.
    init(clock: some Clock<Duration>, limit: @escaping @Sendable () -> RateLimit) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.limit = limit
        bucket = Mutex(TokenBucket(limit: limit()))
    }

    /// Takes a token for a request. Returns `nil` if it may proceed, otherwise the time until one may.
    func take() -> Duration? {
        bucket.withLock { bucket in
            // The limit is read under the lock, so that no caller goes back to an older one.
            let now = now()
            bucket.rebuild(for: limit(), at: now)
            return bucket.take(at: now)
        }
    }
}
