/// A commit that is reverted unless it is confirmed in time: the values it has replaced, and how long it may stand.
///
/// ```
///   committed ──confirm, in time──▶ confirmed: the record is removed
///      │  ▲──another one───┘
///      │ revert, or no time left
///      ▼
///   taken back: the old values and the removal of the record are one transaction
/// ```
///
/// Pure: moments are passed in. Its record is stored in the same batch as the values; see ``MigrationRecord``. On the
/// boot of its ``base`` the continuous clock measures the time. On another boot only the wall clock can measure how
/// much time has passed, and that clock may be wrong.
package struct UnconfirmedCommit: Sendable, Equatable {
    /// The key of the record, beside the settings.
    package static let key = SettingKey.path(MigrationRecord.name, "unconfirmed")

    /// The changes to revert, in the order of the keys: the values before and after the commit.
    package private(set) var changes: [StoredMutation]
    package private(set) var author: String?
    /// Wall time of the commit in seconds since 2001, to show.
    package private(set) var time: Double
    /// How long it may stand in total.
    package private(set) var length: Duration
    /// How long it may stand from the base on.
    private(set) var rest: Duration
    private(set) var base: MachineMoment
    /// Whether a wall clock was found to be behind the base.
    private(set) var hasBadClock = false

    /// How far wall clocks may differ without being wrong.
    private static let tolerance = 60.0

    package init(_ changes: [StoredMutation], by author: String?, within length: Duration, at moment: MachineMoment) {
        self.changes = changes.sorted(by: \.key)
        self.author = author
        self.length = length.bounded
        time = moment.time
        rest = length.bounded
        base = moment
    }

    /// Adds the record's other properties. At most the total time is left, whatever the record says.
    mutating func resume(rest: Duration, time: Double, hasBadClock: Bool) {
        self.rest = min(rest, length)
        self.time = time
        self.hasBadClock = hasBadClock
    }

    // MARK: Time

    /// Returns how long it may still stand.
    package func remaining(at moment: MachineMoment) -> Duration {
        if isSameBoot(as: moment) { return max(.zero, rest - (moment.uptime - base.uptime)) }
        let passed = moment.time - base.time
        // A clock that was set back may restore the whole rest once.
        if hasBadClock, passed < -Self.tolerance { return .zero }
        guard passed.isFinite, passed > 0 else { return rest }
        return max(.zero, rest - .bounded(seconds: passed))
    }

    package func isDue(at moment: MachineMoment) -> Bool { remaining(at: moment) == .zero }

    /// Returns whether the continuous clock can measure the time left. An earlier uptime is that of another machine or
    /// boot.
    func isSameBoot(as moment: MachineMoment) -> Bool {
        !moment.boot.isEmpty && moment.boot == base.boot && moment.uptime >= base.uptime
    }

    /// Returns the same, measured by the continuous clock of this boot from now on.
    func rebased(at moment: MachineMoment) -> UnconfirmedCommit {
        var new = self
        new.rest = remaining(at: moment)
        new.hasBadClock = hasBadClock || (!isSameBoot(as: moment) && moment.time - base.time < -Self.tolerance)
        new.base = moment
        return new
    }

    // MARK: Another commit

    /// Returns both as one: the values before the first of them, and the time of the second.
    func joined(by newer: UnconfirmedCommit) -> UnconfirmedCommit {
        var joined = newer
        var changes = self.changes
        for new in newer.changes {
            let related = changes.filter { $0.key == new.key || $0.key.isWithin(new.key) || new.key.isWithin($0.key) }
            changes.removeAll { related.contains($0) }
            changes.append(related.reduce(new, Self.join))
        }
        joined.changes = changes.filter { $0.oldValue != $0.newValue }.sorted(by: \.key)
        return joined
    }

    /// Returns the joint effect of two mutations of the same value, or of one within the other. Values that others have
    /// written between the two are preserved.
    private static func join(_ newer: StoredMutation, _ older: StoredMutation) -> StoredMutation {
        let outer = newer.key.isWithin(older.key) ? older.key : newer.key
        let isOuter = outer == older.key
        var (old, between, after) = (SettingTree(), SettingTree(), SettingTree())
        if isOuter {
            (old[outer], between[outer], after[outer]) = (older.oldValue, older.newValue, older.newValue)
            if between[newer.key] != newer.oldValue { old[newer.key] = newer.oldValue }
            after[newer.key] = newer.newValue
        } else {
            (old[outer], after[outer]) = (newer.oldValue, newer.newValue)
            if old[older.key] == older.newValue { old[older.key] = older.oldValue }
        }
        return StoredMutation(key: outer, oldValue: old[outer], newValue: after[outer])
    }
}
