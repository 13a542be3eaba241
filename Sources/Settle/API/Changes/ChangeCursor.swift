/// A subscriber's position in a log.
///
/// A cursor reads the log that all subscribers share and has no buffer of its own. `accounted` counts the changes of
/// its topic that it has delivered, skipped on purpose or reported as missed. Changes counted by the topic beyond
/// that, but no longer in the log, were missed.
struct ChangeCursor {
    enum Step {
        case change(LogEntry, revision: UInt64, isDurable: Bool, token: ChangeToken?)
        /// Changes were missed, and no later change follows them.
        case loss(revision: UInt64, time: Double, isDurable: Bool)
        /// There may be more, but the lock has been held long enough.
        case again
        case wait
        case finish
    }

    let log: MutationLog
    let topic: Topic
    private var next: UInt64
    private var accounted: UInt64
    private(set) var missed: UInt64 = 0
    private(set) var delivery: Change.Delivery
    let durableOnly: Bool
    let view: ChangeView
    /// The number of entries to examine before the lock is released for others.
    private static let stride: UInt64 = 64

    /// A cursor that starts after the newest transaction.
    init(
        on topic: Topic, of log: MutationLog, delivery: Change.Delivery, durableOnly: Bool,
        view: ChangeView = .effective
    ) {
        self.log = log
        self.view = view
        log.beginFollowing()
        self.topic = topic
        self.delivery = delivery
        self.durableOnly = durableOnly
        (next, accounted) = log.lock.withLock {
            (log.changes.revision &+ 1, durableOnly ? topic.persistentCount : topic.changeCount)
        }
    }

    /// A cursor that starts after a revision; `nil` if the log no longer holds everything since.
    init?(on topic: Topic, of log: MutationLog, since revision: UInt64, delivery: Change.Delivery, durableOnly: Bool) {
        self.log = log
        view = .effective
        log.beginFollowing()
        self.topic = topic
        self.delivery = delivery
        self.durableOnly = durableOnly
        let start: UInt64? = log.lock.withLock {
            guard revision &+ 1 >= log.changes.ring.oldest, revision <= log.changes.ring.newest else { return nil }
            let count = durableOnly ? topic.persistentCount : topic.changeCount
            return count &- log.changes.count(of: topic, from: revision &+ 1, persistentOnly: durableOnly)
        }
        guard let start else { return nil }
        (next, accounted) = (revision &+ 1, start)
    }

    mutating func step() -> Step {
        log.lock.lock()
        defer { log.lock.unlock() }
        if next < log.changes.ring.oldest { countLoss() }
        let limit = limit
        if next <= limit {
            // An unchanged topic needs no scan of the entries.
            if topic.lastRevision < next {
                next = limit &+ 1
            } else {
                return delivery == .newest ? newest(upTo: limit) : every(upTo: limit)
            }
        }
        // Report the loss now, not with the next change: that may not come for a long time.
        if missed > 0 {
            let revision = durableOnly ? min(topic.lastRevision, log.changes.durableRevision) : topic.lastRevision
            let time = log.changes.ring[log.changes.ring.oldest]?.time ?? 0
            let isDurable =
                revision <= log.changes.durableRevision && log.changes.undurable.isEmpty
                && !log.changes.undurable.givenUp.contains(revision)
            return .loss(revision: revision, time: time, isDurable: isDurable)
        }
        return log.changes.waking.isFinished || topic.isFinished ? .finish : .wait
    }

    /// Whether a step may produce something. Requires the lock.
    var isReady: Bool {
        // A subscriber to what is durable waits for another topic than its own.
        (next <= limit && topic.lastRevision >= next) || topic.isFinished
    }

    /// The topic that wakes the subscriber.
    var wakingTopic: Topic { durableOnly ? log.durability : topic }

    /// The same position with another delivery.
    func delivering(_ delivery: Change.Delivery) -> ChangeCursor {
        var cursor = self
        cursor.delivery = delivery
        return cursor
    }

    mutating func popMissed() -> UInt64 {
        defer { missed = 0 }
        return missed
    }

    // MARK: Under the lock

    /// The newest revision that may be delivered.
    private var limit: UInt64 {
        durableOnly ? log.changes.durableLimit(of: topic, from: next) : log.changes.ring.newest
    }

    /// The number of transactions so far that this subscriber is to receive.
    private var count: UInt64 { durableOnly ? topic.persistentCount : topic.changeCount }

    private func matches(from first: UInt64) -> UInt64 {
        log.changes.count(of: topic, from: first, persistentOnly: durableOnly)
    }

    /// Whether to skip a transaction, because it never becomes durable although its settings are saved, or because it
    /// is not in the view.
    private func passesOver(_ revision: UInt64) -> Bool {
        if durableOnly, log.changes.undurable.givenUp.contains(revision) { return true }
        // The topic of the application's values also has changes of other domains.
        return view == .application && log.changes.ring.details(revision)?.concerns(.application) == false
    }

    /// The number of its topic's transactions in a range that are not in the view.
    private func othersCount(from first: UInt64, to last: UInt64) -> UInt64 {
        guard view == .application, first <= last else { return 0 }
        return (first...last).reduce(0) { count, revision in
            let isOther =
                log.changes.ring.concerns(revision, topic)
                && log.changes.ring.details(revision)?.concerns(.application) == false
            // Others are not counted, or are accounted for.
            let isCounted =
                !durableOnly
                || log.changes.ring.isPersistent(revision) && !log.changes.undurable.givenUp.contains(revision)
            return count &+ (isOther && isCounted ? 1 : 0)
        }
    }

    private mutating func countLoss() {
        let lost = count &- accounted &- matches(from: log.changes.ring.oldest)
        missed &+= lost
        accounted &+= lost
        next = log.changes.ring.oldest
    }

    private mutating func every(upTo limit: UInt64) -> Step {
        let stop = min(limit, next &+ Self.stride)
        while next <= stop {
            let revision = next
            next &+= 1
            guard log.changes.ring.concerns(revision, topic), let entry = log.changes.ring[revision] else { continue }
            if durableOnly && !entry.isPersistent { continue }
            accounted &+= 1
            if passesOver(revision) { continue }
            // Delivered, but without its values.
            if !entry.hasValues { missed &+= 1 }
            return .change(
                entry, revision: revision, isDurable: log.changes.isDurable(entry, revision),
                token: log.changes.token(of: revision))
        }
        return .again
    }

    private mutating func newest(upTo limit: UInt64) -> Step {
        let later = matches(from: limit &+ 1)
        if durableOnly { accounted &+= log.changes.givenUpCount(of: topic, from: next, to: limit) }
        var revision = limit
        while revision >= next {
            if !passesOver(revision), log.changes.ring.concerns(revision, topic),
                let entry = log.changes.ring[revision], entry.isPersistent || !durableOnly
            {
                missed &+=
                    count &- accounted &- later &- (entry.hasValues ? 1 : 0) &- othersCount(from: next, to: limit)
                accounted = count &- later
                next = limit &+ 1
                return .change(
                    entry, revision: revision, isDurable: log.changes.isDurable(entry, revision),
                    token: log.changes.token(of: revision))
            }
            revision &-= 1
        }
        accounted = count &- later
        next = limit &+ 1
        return .again
    }
}
