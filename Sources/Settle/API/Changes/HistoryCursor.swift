#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A follower's position in the storage's history.
///
/// A step never waits. Most changes come from the feed, which all followers share. What the feed does not have takes a
/// query of the storage, which the caller makes wherever it can wait for the answer.
package struct HistoryCursor {
    package enum Step: Sendable {
        case change(Change)
        /// Make this query, and pass the answer to ``HistoryCursor/accept(_:)`` before the next step.
        case query(HistoryQuery)
        /// Nothing has come yet.
        case wait
        /// The store has closed, or the group was released.
        case finish
    }

    private let engine: Engine
    private let topic: Topic
    /// The settings of the group; the store no longer knows them once the group, or one within it, is released.
    private let members: [AnySettingBox]
    private let follower: HistoryFollower
    private var page: ArraySlice<HistoryFeedEntry> = []
    private var token: ChangeToken?
    private let durableOnly: Bool
    /// Whether the storage has been queried: until then the feed may date from a time without followers.
    private var hasBegun = false
    private var isFinished = false
    /// Whether the storage has been queried since the group was released: until then the feed may lack the last
    /// changes.
    private var isComplete = false
    /// The number of attempts already made when the storage could not be reached; `nil` once it may be queried again.
    private var failedAttempts: Int?
    /// The changes after the snapshot, for a storage without a history.
    private var live: Changes.Reader?

    private static let pageSize = 64

    /// - Parameter members: The settings of the topic's group; none for the topic of a store.
    init(
        on topic: Topic, of engine: Engine, after token: ChangeToken?, durableOnly: Bool,
        members: [AnySettingBox] = []
    ) {
        (self.engine, self.topic, self.token, self.durableOnly) = (engine, topic, token, durableOnly)
        self.members = members
        follower = HistoryFollower(of: engine.log)
    }

    var log: MutationLog { engine.log }

    /// The topic that wakes the follower.
    var wakingTopic: Topic { live?.wakingTopic ?? (durableOnly ? log.durability : log.history) }

    /// Whether a step may have a result. Requires the lock.
    var isReady: Bool {
        if let live { return live.isReady }
        if let entry = page.first { return isDurableLocked(entry) }
        if let failedAttempts { return failedAttempts != log.historyAttempts }
        if topic.isFinished { return true }
        return token.flatMap { log.feed.records(after: $0) }?.isEmpty != true
    }

    /// Returns the next change, or the reason why there is none.
    package mutating func step() -> Step {
        if live != nil {
            if let change = live?.next() { return .change(change) }
            return live?.hasEnded == true ? .finish : .wait
        }
        while !isFinished {
            if let change = popChange() { return .change(change) }
            if failedAttempts != nil, log.lock.withLock({ failedAttempts != log.historyAttempts }) {
                failedAttempts = nil
            }
            switch state {
            case .ready(let entries): page = entries
            case .waiting: return .wait
            case .unknown: return .query(query)
            case .finished: isFinished = true
            }
        }
        return .finish
    }

    /// Takes the answer to a query.
    ///
    /// - Returns: The change that reports a gap, if there is one.
    package mutating func accept(_ answer: HistoryAnswer) -> Change? {
        (hasBegun, failedAttempts) = (true, nil)
        isComplete = answer.isLast
        switch answer.finding {
        case .entries(let entries): page = entries[...]
        case .inFeed: break
        case .closed: isFinished = true
        case .unreachable(let attempts): (failedAttempts, isComplete) = (attempts, false)
        case .lost(let tree, let place):
            if place == nil { live = answer.later.makeReader() }
            token = place
            return Change(lostUpTo: place, snapshot: tree)
        }
        return nil
    }

    private mutating func popChange() -> Change? {
        while let entry = page.first, !durableOnly || isDurable(entry) {
            page.removeFirst()
            // An empty slice still has the feed's records, so that the next append would copy all of them.
            if page.isEmpty { page = [] }
            token = entry.token
            guard entry.transaction.mutations != nil else {
                // Anything may have changed.
                (token, page) = (nil, [])
                return nil
            }
            if let change = change(entry) { return change }
        }
        return nil
    }

    private enum State {
        case ready(ArraySlice<HistoryFeedEntry>)
        case waiting
        case unknown
        /// The group was released, and everything from before that was returned.
        case finished
    }

    private var state: State {
        if !page.isEmpty { return .waiting }
        if failedAttempts != nil { return .waiting }
        guard let token, hasBegun else { return .unknown }
        let (later, isReleased) = log.lock.withLock {
            (log.feed.records(after: token)?.prefix(Self.pageSize), topic.isFinished)
        }
        guard let later else { return .unknown }
        guard later.isEmpty else { return .ready(later) }
        guard isReleased else { return .waiting }
        return isComplete ? .finished : .unknown
    }

    private var query: HistoryQuery {
        // A history also has the changes of values that other domains cover, which do not mark the store's topic.
        let (topic, isLast) = log.lock.withLock {
            (self.topic === log.root ? log.changes.applicationTopic() : self.topic, self.topic.isFinished)
        }
        let later = ChangeCursor(
            on: topic, of: log, delivery: .every, durableOnly: durableOnly, view: .application)
        return HistoryQuery(engine: engine, token: token, later: Changes(later), isLast: isLast)
    }

    private func isDurable(_ entry: HistoryFeedEntry) -> Bool {
        log.lock.withLock { isDurableLocked(entry) }
    }

    private func isDurableLocked(_ entry: HistoryFeedEntry) -> Bool {
        log.changes.isDurable(entry.revision, at: entry.token)
    }

    /// - Returns: `nil` if none of its mutations is within the topic.
    private func change(_ entry: HistoryFeedEntry) -> Change? {
        var mutations = entry.mutations(in: engine)
        if topic !== log.root {
            mutations.removeAll { !$0.isWithin(topic) }
            // Checked after that lookup, so that no release falls in between.
            let released = members.filter(\.original.isReleased)
            if !released.isEmpty {
                let known = Set(mutations.map(\.key))
                let others = entry.mutations(of: released).filter { !known.contains($0.key) }
                mutations = (mutations + others).sorted(by: \.key)
            }
        }
        return mutations.isEmpty ? nil : Change(entry, mutations, isDurable: isDurable(entry))
    }
}

/// A query of the storage for what the feed does not have after a follower's position.
package struct HistoryQuery: Sendable {
    fileprivate let engine: Engine
    fileprivate let token: ChangeToken?
    /// The changes after the query was made, for a storage without a history.
    fileprivate let later: Changes
    /// Whether the group was released before.
    fileprivate let isLast: Bool

    /// Queries the storage. It may take as long as the storage does, and does not end early when its task is cancelled.
    package func answer() async -> HistoryAnswer {
        HistoryAnswer(finding: await engine.readHistory(after: token), later: later, isLast: isLast)
    }
}

/// The answer to a ``HistoryQuery``.
package struct HistoryAnswer: Sendable {
    fileprivate let finding: HistoryFinding
    fileprivate let later: Changes
    fileprivate let isLast: Bool
}

/// Counts a follower of the storage's history as long as it lives.
private final class HistoryFollower: Sendable {
    private let log: MutationLog

    init(of log: MutationLog) {
        self.log = log
        log.beginFollowingHistory()
    }

    deinit {
        log.endFollowingHistory()
    }
}

extension Change {
    fileprivate init(_ entry: HistoryFeedEntry, _ mutations: [FeedMutation], isDurable: Bool) {
        let transaction = entry.transaction
        self.init(
            revision: entry.revision == 0 ? nil : entry.revision, token: entry.token,
            time: Date(timeIntervalSinceReferenceDate: transaction.time),
            origin: transaction.origin, domain: .application, author: transaction.author.name,
            mutations: mutations.map(Mutation.init), isDurable: isDurable, missed: Missed(count: transaction.count - 1))
    }

    /// Unknown changes were missed.
    fileprivate init(lostUpTo token: ChangeToken?, snapshot: SettingTree) {
        self.init(
            revision: nil, token: token, time: Date(), origin: .loaded, domain: .application, author: nil,
            mutations: [],
            isDurable: false, missed: .unknown(snapshot))
    }
}

extension FeedMutation {
    fileprivate func isWithin(_ topic: Topic) -> Bool { slot?.isWithin(topic) == true }
}
