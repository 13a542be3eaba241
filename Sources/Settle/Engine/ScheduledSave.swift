/// The settings that are saved after the same delays: which of their changes are not on stable storage yet.
///
/// Changes wait until they are on stable storage, not only until they are taken for saving. Changes between a take and
/// its success are counted separately, and keep waiting.
struct ScheduledSave {
    let quiet: Duration
    let longest: Duration
    /// Wall time of the oldest and of the newest change that is not on stable storage, in seconds since the reference
    /// date.
    private(set) var firstChange = 0.0
    private(set) var lastChange = 0.0
    /// Elapsed time at which the persister first saw the changes.
    var noticed: Duration?
    /// Whether any change is not on stable storage.
    private(set) var isWaiting = false
    /// Whether anything has changed since the last take.
    private(set) var hasNew = false
    /// Wall time of the first change since the last take.
    private var firstNew = 0.0

    init(quiet: Duration, longest: Duration) {
        self.quiet = quiet.bounded
        self.longest = longest.bounded
    }

    /// Whether changes are saved without delay.
    var isImmediate: Bool { quiet <= .zero || longest <= .zero }

    /// Records a change; true if it is the first one since the last take.
    mutating func change(at time: Double) -> Bool {
        lastChange = time
        if hasNew { return false }
        hasNew = true
        firstNew = time
        if !isWaiting {
            isWaiting = true
            firstChange = time
        }
        return true
    }

    mutating func taken() {
        hasNew = false
    }

    /// Records that everything taken is on stable storage.
    mutating func stabilized() {
        noticed = nil
        isWaiting = hasNew
        firstChange = firstNew
    }
}
