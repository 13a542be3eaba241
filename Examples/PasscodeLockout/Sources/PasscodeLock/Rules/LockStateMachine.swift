#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules of the lock: what a record means at a moment, and what a try makes of it.
///
/// It has no state, clock or storage, so every rule can be tried on paper.
public struct LockStateMachine: Sendable {
    public let schedule: LockSchedule
    /// The number of wrong guesses after which no more are accepted.
    public let limit: Int

    /// - Parameter limit: Ends the guesses before the schedule does, never after it.
    public init(_ schedule: LockSchedule = .standard, limit: Int? = nil) {
        self.schedule = schedule
        self.limit = min(limit ?? schedule.limit, schedule.limit)
    }

    public enum Decision: Sendable {
        /// Store this record, and compare the passcode only once it is on stable storage.
        case record(LockRecord)
        /// Neither compare the passcode nor count the try.
        case refuse(LockStatus)
    }

    public func status(of record: LockRecord, at moment: Moment) -> LockStatus {
        let count = record.attemptCount
        // An impossible number is read as the worst.
        guard count >= 0, count < limit else { return .exhausted }
        let length = schedule.wait(after: count)
        guard let wait = record.wait else {
            return length == .zero ? .ready : .unavailable(.damaged("\(count) tries, but no wait is stored."))
        }
        let remaining = remaining(of: wait, after: count, at: moment)
        return remaining > .zero ? .delayed(remaining: remaining, level: schedule.level(after: count)) : .ready
    }

    /// What to do with a try.
    public func decide(_ record: LockRecord, at moment: Moment) -> Decision {
        let status = status(of: record, at: moment)
        guard status == .ready else { return .refuse(status) }
        var next = record.successor
        next.attemptCount += 1
        // The whole schedule's wait, also after the last guess that a lower limit allows: the limit may be raised
        // again.
        let length = next.attemptCount < schedule.limit ? schedule.wait(after: next.attemptCount) : .zero
        next.wait = length > .zero ? LockWait(length: length, start: moment.uptime, bootID: moment.bootID) : nil
        next.nextCheckDate = next.wait.map { (moment.date + $0.length / .seconds(1)).displayable }
        return .record(next)
    }

    /// The longer of the stored wait and the schedule's counts: neither an edited file nor a later version's milder
    /// schedule shortens a wait in progress.
    private func remaining(of wait: LockWait, after count: Int, at moment: Moment) -> Duration {
        wait.remaining(at: moment, atLeast: schedule.wait(after: count))
    }
}
