/// A wait as it is stored: in terms that nobody can set, never as a date.
public struct LockWait: Sendable, Hashable, Codable {
    public var length: Duration
    /// The machine's uptime, sleep included, when the wait began.
    public var start: Duration
    /// The boot to which `start` belongs.
    public var bootID: String

    public init(length: Duration, start: Duration, bootID: String) {
        self.length = length
        self.start = start
        self.bootID = bootID
    }

    /// What is left of the wait.
    ///
    /// Only time of the running boot counts. After a reboot that is all of its time: the wait began earlier, so it starts
    /// again in full when the machine boots, even if it was over before. That takes no write which a crash could prevent.
    /// Of what can't be, the wait is as long as it can be.
    func remaining(at moment: Moment, atLeast minimum: Duration) -> Duration {
        let elapsed = moment.bootID == bootID ? moment.uptime - start : moment.uptime
        return max(.zero, max(length, minimum) - (isPossible(at: moment) ? elapsed : .zero))
    }

    /// Whether its numbers can be reckoned with and slept for. No clock and no schedule comes near the ends of what a `Duration`
    /// can be, but an edited file may.
    var isReckonable: Bool {
        let limit = LockSchedule.longestWait
        return [length, start].allSatisfy { .zero - limit...limit ~= $0 }
    }

    /// Whether the wait began after its boot, and not after now.
    func isPossible(at moment: Moment) -> Bool {
        start >= .zero && (moment.bootID != bootID || start <= moment.uptime)
    }
}
