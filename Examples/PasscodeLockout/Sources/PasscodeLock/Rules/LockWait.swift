/// A stored wait: in terms that no one can change, never as a date.
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

    /// The remaining wait.
    ///
    /// Only time of the current boot counts. After a reboot that is the whole uptime: the wait restarts in full at the
    /// boot, even if it was over before. That needs no write, which a crash could prevent. For impossible values, the
    /// wait is as long as possible.
    func remaining(at moment: Moment, atLeast minimum: Duration) -> Duration {
        let elapsed = moment.bootID == bootID ? moment.uptime - start : moment.uptime
        return max(.zero, max(length, minimum) - (isPossible(at: moment) ? elapsed : .zero))
    }

    /// Whether arithmetic and sleeping with its numbers is safe. No clock or schedule comes near the limits of a
    /// `Duration`, but an edited file may.
    var isReckonable: Bool {
        let limit = LockSchedule.longestWait
        return [length, start].allSatisfy { .zero - limit...limit ~= $0 }
    }

    /// Whether the wait began after its boot and not in the future.
    func isPossible(at moment: Moment) -> Bool {
        start >= .zero && (moment.bootID != bootID || start <= moment.uptime)
    }
}
