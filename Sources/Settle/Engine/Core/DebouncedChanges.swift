/// The changes that are saved after the same delays and are not on stable storage yet.
///
/// Changes wait until they are on stable storage, not only until they are collected. Changes between a collection and
/// its success are counted separately, and keep waiting.
struct DebouncedChanges {
    let quiet: Duration
    let longest: Duration
    /// Wall time of the oldest and of the newest change that is not on stable storage, in seconds since the reference
    /// date.
    private(set) var firstChange = 0.0
    private(set) var lastChange = 0.0
    /// Elapsed time at which the persister first saw the changes.
    private var noticed: Duration?
    /// Whether any change is not on stable storage.
    private(set) var isWaiting = false
    /// Whether anything has changed since the last collection.
    private(set) var hasNew = false
    /// Wall time of the first change since the last collection.
    private var firstNew = 0.0

    init(quiet: Duration, longest: Duration) {
        self.quiet = quiet.bounded
        self.longest = longest.bounded
    }

    /// Whether changes are saved without delay.
    var isImmediate: Bool { quiet <= .zero || longest <= .zero }

    /// Records a change; true if it is the first one since the last collection.
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

    mutating func collected() {
        hasNew = false
    }

    /// Records that everything collected is on stable storage.
    mutating func stabilized() {
        noticed = nil
        isWaiting = hasNew
        firstChange = firstNew
    }

    /// How long the changes have waited; `nil` if there are none.
    ///
    /// - Parameter now: The elapsed time. Wall time can be set: forward, that saves earlier; backward, the elapsed time
    ///   since the persister first saw the changes still bounds the wait.
    mutating func measureWait(now: Duration, wallTime: Double) -> Waiting? {
        guard isWaiting else { return nil }
        let noticed = noticed ?? now
        self.noticed = noticed
        let sinceFirst = max(.bounded(seconds: wallTime - firstChange), now - noticed)
        let sinceLast = Duration.bounded(seconds: wallTime - lastChange)
        return Waiting(quiet: quiet, longest: longest, sinceFirst: sinceFirst, sinceLast: min(sinceLast, sinceFirst))
    }

    /// A class of settings with changes that are not on stable storage.
    struct Waiting: Equatable {
        var quiet: Duration
        var longest: Duration
        /// The age of the first change.
        var sinceFirst: Duration
        /// The age of the newest change.
        var sinceLast: Duration

        /// How long its save may still wait.
        var remaining: Duration { remaining(quiet: quiet, longest: longest) }

        func remaining(quiet: Duration, longest: Duration) -> Duration {
            min(quiet - sinceLast, longest - sinceFirst)
        }
    }
}

/// The changes that are not on stable storage yet.
struct WaitingChanges: Equatable {
    var waiting: [DebouncedChanges.Waiting] = []
    /// Whether there are changes that have not been handed to the storage.
    var hasNew = false
}
