#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An async sequence of the changes of a setting, a group or a store.
///
/// It starts with the first transaction after its creation (or after the requested revision), not with the start of the
/// loop: you miss no change in between. Changes arrive in the order of their revisions. The sequence ends when the
/// store closes; leaving the loop or cancelling its task unsubscribes.
public struct Changes: AsyncSequence, Sendable {
    public typealias Element = Change
    public typealias Failure = Never

    private let cursor: ChangeCursor

    init(_ cursor: ChangeCursor) {
        self.cursor = cursor
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(cursor: cursor)
    }

    /// The same changes, skipping those that are overtaken.
    var newestOnly: Changes { Changes(cursor.delivering(.newest)) }

    /// Creates a reader that starts where a loop would.
    package func makeReader() -> Reader { Reader(cursor) }

    /// Reads changes without waiting for one. It is not a subscriber: its owner has a wait, such as a ``ContentWatch``.
    package struct Reader {
        fileprivate private(set) var cursor: ChangeCursor
        /// Whether the store has closed, and every change was returned.
        package private(set) var hasEnded = false

        init(_ cursor: ChangeCursor) {
            self.cursor = cursor
        }

        /// The topic that wakes its owner.
        var wakingTopic: Topic { cursor.wakingTopic }

        /// Whether a call of ``next()`` may return a change. Requires the lock.
        var isReady: Bool { cursor.isReady }

        /// Returns the next change, if there is one already.
        package mutating func next() -> Change? {
            while !hasEnded {
                switch cursor.step() {
                case .change(let entry, let revision, let isDurable, let token):
                    return Change(
                        entry, revision: revision, token, within: cursor.topic, of: cursor.view, isDurable: isDurable,
                        missed: Change.Missed(count: cursor.popMissed()))
                case .loss(let revision, let time, let isDurable):
                    return Change(
                        revision: revision, token: nil, time: Date(timeIntervalSinceReferenceDate: time),
                        origin: .local, domain: .application, author: nil, mutations: [], isDurable: isDurable,
                        missed: Change.Missed(count: cursor.popMissed()))
                case .again: break
                case .wait: return nil
                case .finish: hasEnded = true
                }
            }
            return nil
        }
    }

    /// One loop's iterator. `next()` returns `nil` once the store has closed or the task is cancelled.
    ///
    /// A copy shares the iterator's wait: two tasks that wait at once with copies of one iterator stop the program.
    public struct Iterator: AsyncIteratorProtocol {
        private var reader: Reader
        /// `nil` once the sequence has ended.
        private var waiter: Waiter?

        init(cursor: ChangeCursor) {
            reader = Reader(cursor)
            waiter = Waiter(countedIn: cursor.log)
        }

        public mutating func next() async -> Change? {
            await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            while let waiter, !Task.isCancelled {
                if let change = reader.next() { return change }
                guard !reader.hasEnded else { break }
                let current = reader.cursor
                await current.log.wait(on: current.wakingTopic, with: waiter) {
                    current.isReady
                }
            }
            waiter = nil
            return nil
        }

        /// Returns the next undelivered change, without waiting for one.
        mutating func popNext() -> Change? {
            guard waiter != nil else { return nil }
            let change = reader.next()
            if reader.hasEnded { waiter = nil }
            return change
        }
    }
}

extension Change {
    /// Returns the same change for a subscriber that has passed over an earlier one.
    func counting(_ earlier: Change) -> Change {
        // A change without mutations only reports missed changes.
        let passedOver = (earlier.missed.count ?? 0) &+ (earlier.mutations.isEmpty ? 0 : 1)
        return Change(
            revision: revision, token: token, time: time, origin: origin, domain: domain, author: author,
            mutations: mutations, isDurable: isDurable,
            missed: missed.count.map { Missed(count: $0 &+ passedOver) } ?? missed)
    }

    fileprivate init(
        _ entry: LogEntry, revision: UInt64, _ token: ChangeToken?, within topic: Topic, of view: ChangeView,
        isDurable: Bool, missed: Missed
    ) {
        self.init(
            revision: revision, token: token, time: Date(timeIntervalSinceReferenceDate: entry.time),
            origin: entry.details.origin, domain: entry.details.domain?.name ?? .application,
            author: entry.details.author,
            mutations: entry.mutations(within: topic, of: view), isDurable: isDurable, missed: missed)
    }
}

extension Changes {
    static func since(
        _ revision: UInt64, on topic: Topic, of log: MutationLog, delivery: Change.Delivery, durableOnly: Bool
    ) throws -> Changes {
        let cursor = ChangeCursor(
            on: topic, of: log, since: revision, delivery: delivery, durableOnly: durableOnly)
        guard let cursor else {
            let (oldest, newest) = log.lock.withLock { (log.changes.ring.oldest, log.changes.revision) }
            throw SettingsError(
                .revisionUnavailable,
                "The changes since revision \(revision) are not available: the log holds those from \(oldest) to "
                    + "\(newest). Read the current values and start from there.")
        }
        return Changes(cursor)
    }
}

extension Changes {
    /// Runs a body for the newest change whenever there is one; see ``SettingReference/forEachLatest(_:)``.
    ///
    /// For either ``Change/Delivery``, changes that are overtaken are skipped and counted in ``Change/missed``.
    ///
    /// - Throws: The body's error, which ends everything; except the `CancellationError` of a cancelled body.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Change) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await newestOnly.makeAsyncIterator().forEachLatest(body)
    }
}

extension Changes.Iterator: LatestIterator {
    mutating func newest(insteadOf element: Change) -> Change {
        popNext()?.counting(element) ?? element
    }
}
