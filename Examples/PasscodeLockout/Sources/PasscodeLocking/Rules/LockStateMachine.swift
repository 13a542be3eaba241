/// The rules of the lock: what a stored state means at a moment, and what a try makes of it.
///
/// It has no state, no clock and no storage of its own, so every rule can be tried on paper.
public struct LockStateMachine: Sendable {
    public let schedule: LockSchedule

    public init(_ schedule: LockSchedule = .standard) {
        self.schedule = schedule
    }

    public enum Decision: Sendable, Hashable {
        /// Store this state, and only when it is on stable storage look at the passcode.
        case record(LockState)
        /// Don't look at the passcode, and don't count the try.
        case refuse(LockStatus)
    }

    /// The state once the right passcode was given, or a new one chosen.
    public static let unlocked = LockState.enrolled(attemptCount: 0, wait: nil)

    public func status(of state: LockState, at moment: Moment) -> LockStatus {
        switch state {
        case .notEnrolled: return .unavailable(.notEnrolled)
        case .damaged(let reason): return .unavailable(.damaged(reason))
        case .enrolled(let count, let wait):
            guard count < schedule.limit else { return .exhausted }
            let length = schedule.wait(after: count)
            guard let wait else {
                return length == .zero ? .ready : .unavailable(.damaged("\(count) tries, but no wait is stored."))
            }
            // The longer one of the stored wait and the schedule's: neither an edited file nor a milder schedule of a
            // later version shortens a wait that is under way.
            let remaining = wait.remaining(at: moment, atLeast: length)
            return remaining > .zero ? .delayed(remaining: remaining, level: schedule.level(after: count)) : .ready
        }
    }

    /// What to do with a try.
    public func decide(_ state: LockState, at moment: Moment) -> Decision {
        let status = status(of: state, at: moment)
        guard status == .ready, case .enrolled(let before, _) = state else { return .refuse(status) }
        let count = before + 1
        guard count < schedule.limit else { return .record(.enrolled(attemptCount: count, wait: nil)) }
        let length = schedule.wait(after: count)
        let wait =
            length > .zero ? LockWait(length: length, start: moment.uptime, bootID: moment.bootID) : nil
        return .record(.enrolled(attemptCount: count, wait: wait))
    }
}
