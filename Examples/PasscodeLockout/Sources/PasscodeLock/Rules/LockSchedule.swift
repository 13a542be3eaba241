/// The waits after wrong guesses, as data.
public struct LockSchedule: Sendable, Hashable {
    /// The wait before the next try; the index is the number of wrong guesses so far.
    public let waits: [Duration]

    /// - Parameter waits: One wait for each number of wrong guesses, from 0 on. After as many wrong guesses as there
    /// are waits, no more are accepted. Waits beyond ``ceiling`` are ignored. A negative wait is none, and none is
    /// longer than ``longestWait``.
    public init(_ waits: [Duration]) {
        self.waits = waits.prefix(Self.ceiling).map { min(max(.zero, $0), Self.longestWait) }
    }

    /// A thousand years, so that the end of every wait has a date.
    public static let longestWait = Duration.days(365_000)

    /// No schedule accepts more guesses than this.
    public static let ceiling = 100

    /// Five guesses are free; then the waits grow from a minute to nine years. The twentieth wrong guess is the last.
    public static let standard = LockSchedule([
        .zero, .zero, .zero, .zero, .zero,
        .minutes(1), .minutes(5), .minutes(15), .minutes(30), .minutes(90),
        .hours(4), .hours(12), .hours(36),
        .days(4), .days(13), .days(41), .days(123), .days(365), .days(3 * 365), .days(9 * 365),
    ])

    /// The number of wrong guesses after which no more are accepted.
    public var limit: Int { waits.count }

    /// The wait after a number of wrong guesses below ``limit``. A negative number gets the longest.
    public func wait(after attemptCount: Int) -> Duration {
        waits.indices.contains(attemptCount) ? waits[attemptCount] : waits.max() ?? .zero
    }

    /// The wait's number: 1 for the first that is not zero.
    public func level(after attemptCount: Int) -> Int {
        waits.prefix(attemptCount + 1).count { $0 > .zero }
    }
}

extension Duration {
    package static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    package static func hours(_ count: Int) -> Duration { .minutes(60 * count) }
    package static func days(_ count: Int) -> Duration { .hours(24 * count) }
}
