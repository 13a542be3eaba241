#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An async sequence of everything stored after a token, across restarts and processes.
///
/// It follows the history of the file, or of another storage. It delivers the transactions of all processes in their
/// one order, each once, as soon as it has been appended. Each ``Change/token`` is a position to resume from, even
/// after a restart.
///
/// If the transactions after the token are no longer known, or the token belongs to another history, such as that of a
/// file that was replaced by a backup, the next change reports that: its ``Change/missed`` is
/// ``Change/Missed/unknown(_:)``, with all values. A gap is never skipped silently. A storage that can't be reached,
/// such as a cluster, has forgotten nothing: the next change arrives when the storage answers again.
///
/// It does not include values of other domains, settings in memory, and writes that another process overtakes before
/// they reach the file. The sequence ends when the store closes.
public struct ResumedChanges: AsyncSequence, Sendable {
    public typealias Element = Change
    public typealias Failure = Never

    private let engine: Engine
    private let topic: Topic
    private let token: ChangeToken?
    private let durableOnly: Bool

    init(of engine: Engine, on topic: Topic, after token: ChangeToken?, durableOnly: Bool) {
        self.engine = engine
        self.topic = topic
        self.token = token
        self.durableOnly = durableOnly
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(engine, topic, after: token, durableOnly: durableOnly)
    }

    /// One loop's iterator. `next()` returns `nil` once the store has closed or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let engine: Engine
        private let topic: Topic
        private let durableOnly: Bool
        private var token: ChangeToken?
        private var page: ArraySlice<HistoryFeedEntry> = []
        /// Whether the storage has been queried: until then the feed may date from a time without followers.
        private var hasBegun = false
        /// The number of attempts already made when the storage could not be reached.
        private var failedAttempts: Int?
        /// `nil` once the sequence has ended.
        private var waiter: Waiter?
        private let follower: HistoryFollower
        /// The changes after the snapshot, for a storage without a history.
        private var live: Changes.Iterator?

        private static let pageSize = 64

        init(_ engine: Engine, _ topic: Topic, after token: ChangeToken?, durableOnly: Bool) {
            self.engine = engine
            self.topic = topic
            self.token = token
            self.durableOnly = durableOnly
            follower = HistoryFollower(of: engine.log)
            waiter = Waiter(countedIn: engine.log)
        }

        public mutating func next() async -> Change? {
            await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            if live != nil { return await live?.next(isolation: actor) }
            while let waiter, !Task.isCancelled {
                while let entry = page.first, !durableOnly || isDurable(entry) {
                    page.removeFirst()
                    // An empty slice still has the feed's records, so that the next append would copy all of them.
                    if page.isEmpty { page = [] }
                    token = entry.token
                    guard entry.transaction.mutations != nil else {
                        // Anything may have changed.
                        (token, page) = (nil, [])
                        break
                    }
                    if let change = change(entry) { return change }
                }
                let state = state
                switch state {
                case .ready(let entries): page = entries
                case .waiting:
                    let current = self
                    await engine.log.wait(on: durableOnly ? engine.log.durability : engine.log.history, with: waiter) {
                        current.isReady
                    }
                    if waiter.isFinished { self.waiter = nil }
                case .unknown:
                    if let change = await read() { return change }
                }
            }
            waiter = nil
            return nil
        }

        private enum State {
            case ready(ArraySlice<HistoryFeedEntry>)
            case waiting
            case unknown
        }

        private var state: State {
            if !page.isEmpty { return .waiting }
            if let failedAttempts, engine.log.lock.withLock({ failedAttempts == engine.log.historyAttempts }) {
                return .waiting
            }
            guard let token, hasBegun else { return .unknown }
            let later = engine.log.lock.withLock { engine.log.feed.records(after: token)?.prefix(Self.pageSize) }
            return later.map { $0.isEmpty ? .waiting : .ready($0) } ?? .unknown
        }

        /// Requires the lock.
        private var isReady: Bool {
            if let entry = page.first { return isDurableLocked(entry) }
            if let failedAttempts { return failedAttempts != engine.log.historyAttempts }
            return token.flatMap { engine.log.feed.records(after: $0) }?.isEmpty != true
        }

        /// Queries the storage.
        ///
        /// - Returns: The change that reports a gap, if there is one.
        private mutating func read() async -> Change? {
            let next = Changes(
                ChangeCursor(on: topic, of: engine.log, delivery: .every, durableOnly: durableOnly, view: .application))
            (hasBegun, failedAttempts) = (true, nil)
            switch await engine.readHistory(after: token) {
            case .entries(let entries): page = entries[...]
            case .inFeed: break
            case .closed: waiter = nil
            case .unreachable(let attempts): failedAttempts = attempts
            case .lost(let tree, let place):
                if place == nil { live = next.makeAsyncIterator() }
                token = place
                return Change(lostUpTo: place, snapshot: tree)
            }
            return nil
        }

        private func isDurable(_ entry: HistoryFeedEntry) -> Bool {
            engine.log.lock.withLock { isDurableLocked(entry) }
        }

        private func isDurableLocked(_ entry: HistoryFeedEntry) -> Bool {
            engine.log.changes.isDurable(entry.revision, at: entry.token)
        }

        /// - Returns: `nil` if none of its mutations is within the topic.
        private func change(_ entry: HistoryFeedEntry) -> Change? {
            let mutations = entry.mutations(in: engine).filter { topic === engine.log.root || $0.isWithin(topic) }
            return mutations.isEmpty ? nil : Change(entry, mutations, isDurable: isDurable(entry))
        }
    }
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
