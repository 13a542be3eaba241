/// Exponential back-off: the shortest delay after the first failure, doubled after each further one up to the longest.
struct Retry: Equatable {
    private let delays: ClosedRange<Duration>
    private(set) var attempts = 0
    /// The elapsed time of the next attempt.
    private(set) var due = Duration.zero

    init(delays: ClosedRange<Duration>) {
        self.delays = delays
    }

    mutating func failed(now: Duration) {
        attempts += 1
        // The exponent is bounded, so the product can't overflow.
        due = now + min(delays.lowerBound * (1 << min(attempts - 1, 30)), delays.upperBound)
    }

    /// Moves the next attempt forward to `time`, if it is later.
    mutating func hurry(to time: Duration) {
        due = min(due, time)
    }
}
