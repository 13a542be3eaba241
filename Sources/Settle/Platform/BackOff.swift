/// Exponential back-off: each delay is twice the one before, from the shortest up to the longest.
package struct BackOff: Equatable, Sendable {
    private let delays: ClosedRange<Duration>
    /// The part of each delay that may be left out at random, from 0 to 1, so that clients that have begun to wait
    /// together do not ask together.
    private let jitter: Double
    package private(set) var attempts = 0
    /// The elapsed time of the next attempt.
    package private(set) var due = Duration.zero

    package init(_ delays: ClosedRange<Duration>, jitter: Double = 0) {
        self.delays = delays
        self.jitter = jitter
    }

    /// Returns the delay after some failures in a row.
    package static func delay(after failures: Int, within delays: ClosedRange<Duration>) -> Duration {
        // The exponent is bounded, so the product can't overflow.
        min(delays.lowerBound * (1 << min(failures - 1, 30)), delays.upperBound)
    }

    /// Records a failed attempt.
    ///
    /// - Returns: How long to wait before the next one.
    package mutating func next(random: @autoclosure () -> Double = .random(in: 0...1)) -> Duration {
        attempts += 1
        let delay = Self.delay(after: attempts, within: delays)
        return jitter > 0 ? delay * (1 - jitter * random()) : delay
    }

    /// Records a failed attempt; the next one is ``due`` after a delay.
    package mutating func failed(now: Duration) { due = now + next() }

    /// Records an attempt that has not failed: the next delay is a step shorter.
    package mutating func succeeded() { attempts = max(0, attempts - 1) }

    /// Moves the next attempt forward to `time`, if it is later.
    package mutating func hurry(to time: Duration) { due = min(due, time) }
}
