import CoreMetrics
import Hummingbird
import Logging
import Synchronization

/// Counts the requests that were refused by the admin endpoints, and logs who sent them: all of a few, and one every
/// ten seconds of many, so that nobody can fill the disk.
final class Refusals: Sendable {
    enum Reason: String, Error, CaseIterable {
        /// The endpoints are closed.
        case closed
        /// The request has no token.
        case missing
        /// The request has another token.
        case wrong
    }

    private struct State {
        var lines = TokenBucket(limit: RateLimit(perSecond: 1, burst: 10))
        var unlogged = 0
    }

    private static let interval = 10.0
    private let state = Mutex(State())
    private let elapsed: @Sendable () -> Duration
    private let logger: Logger
    private let metrics: any MetricsFactory

    init(clock: some Clock<Duration>, logger: Logger, metrics: any MetricsFactory) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        self.logger = logger
        self.metrics = metrics
        // A rate needs a first value, and that is none.
        for reason in Reason.allCases { counter(reason).increment(by: 0) }
    }

    func report(_ request: Request, _ context: ServiceContext, _ reason: Reason) {
        counter(reason).increment()
        guard let unlogged = takeLine() else { return }
        // Not the query, which may have anything in it, even a token.
        logger.warning(
            "A request to the admin endpoints was refused.",
            metadata: [
                "method": "\(request.method.rawValue)", "path": "\(request.uri.path.prefix(100))",
                "peer": "\(context.remoteAddress?.ipAddress ?? "unknown")", "reason": "\(reason.rawValue)",
                "unlogged": "\(unlogged)",
            ])
    }

    private func counter(_ reason: Reason) -> Counter {
        Counter(label: "admin_refused_requests_total", dimensions: [("reason", reason.rawValue)], factory: metrics)
    }

    /// - Returns: How many were not logged since the last line; `nil` if this one is not to be logged either.
    private func takeLine() -> Int? {
        let now = elapsed() / Self.interval
        return state.withLock { state in
            guard state.lines.take(at: now) == nil else {
                state.unlogged += 1
                return nil
            }
            defer { state.unlogged = 0 }
            return state.unlogged
        }
    }
}
