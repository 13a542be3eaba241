public import Settle

/// How strict a lock is: configuration, which people edit in the settings file of the lock's first store.
///
/// It makes the lock stricter than the built-in rules, and never milder, because anyone who may write the file may
/// write this. Its rules reject everything else. Such a value in the file leaves the last good one in force that was
/// saved, also after a restart; without one, or when the value is removed, the built-in rules hold.
///
/// A ``PasscodeLockout`` follows it while it runs: the next try and the status obey what is in force then.
public struct PasscodePolicy: SettingsGroup {
    /// The number of characters that a new passcode must have. One that was chosen before stays valid, however short:
    /// a longer minimum must not lock its owner out.
    @Setting(
        in: Passcode.minimumLength...64, title: "Minimum length",
        help: "The least number of characters of a new passcode. The current one stays valid.", unit: "characters")
    public var minimumLength = Passcode.minimumLength

    /// The number of wrong guesses after which no more are accepted. It ends the schedule early; the waits stay the
    /// same.
    ///
    /// A lock that has counted as many already is exhausted. When the limit is raised again, the wait after the last
    /// guess holds, as if the limit had never been lower.
    @Setting(
        in: 1...LockSchedule.standard.limit, title: "Wrong guesses",
        help: "The number of wrong guesses after which no more are accepted.")
    public var attemptLimit = LockSchedule.standard.limit

    public init() {}
}

extension PasscodePolicy {
    /// The number of wrong guesses after which no more are accepted, in a lock with this schedule.
    ///
    /// Without a chosen limit, the schedule decides alone: an application's own may have more guesses.
    func limit(of schedule: LockSchedule) -> Int {
        $attemptLimit.isDefault ? schedule.limit : min(attemptLimit, schedule.limit)
    }

    /// Rejects a new passcode that is too short. A lock does the same when the passcode is chosen.
    public func check(_ passcode: Passcode) throws(PasscodeError) {
        let minimum = minimumLength
        guard passcode.length >= minimum else { throw .tooShort(minimum: minimum) }
    }
}
