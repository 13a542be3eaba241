/// When something that has failed is tried again: after the shortest delay at first, and twice as long after each further failure.
struct Retry: Equatable {
    private let delays: ClosedRange<Duration>
    private(set) var attempts = 0
    /// The elapsed time of the next try.
    private(set) var due = Duration.zero

    init(delays: ClosedRange<Duration>) {
        self.delays = delays
    }

    mutating func failed(now: Duration) {
        attempts += 1
        // The exponent is bounded, so the product can't overflow.
        due = now + min(delays.lowerBound * (1 << min(attempts - 1, 30)), delays.upperBound)
    }

    /// Puts the next try forward, if it is later than this.
    mutating func hurry(to time: Duration) {
        due = min(due, time)
    }
}
