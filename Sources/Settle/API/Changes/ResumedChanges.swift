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
/// they reach the file. The sequence ends when the store closes, or, after everything stored before, when its group is
/// released. If only a group within it is released, the sequence continues, with that group's changes as well.
public struct ResumedChanges: AsyncSequence, Sendable {
    public typealias Element = Change
    public typealias Failure = Never

    private let engine: Engine
    private let topic: Topic
    private let token: ChangeToken?
    private let durableOnly: Bool
    private let members: [AnySettingBox]

    /// - Parameter members: The settings of the topic's group; none for the topic of a store.
    init(
        of engine: Engine, on topic: Topic, after token: ChangeToken?, durableOnly: Bool,
        members: [AnySettingBox] = []
    ) {
        self.engine = engine
        self.topic = topic
        self.token = token
        self.durableOnly = durableOnly
        self.members = members
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(
            HistoryCursor(on: topic, of: engine, after: token, durableOnly: durableOnly, members: members))
    }

    /// One loop's iterator. `next()` returns `nil` once the store has closed or the task is cancelled.
    ///
    /// A copy shares the iterator's wait: two tasks that wait at once with copies of one iterator stop the program.
    public struct Iterator: AsyncIteratorProtocol {
        private var cursor: HistoryCursor
        /// `nil` once the sequence has ended.
        private var waiter: Waiter?

        fileprivate init(_ cursor: HistoryCursor) {
            self.cursor = cursor
            waiter = Waiter(countedIn: cursor.log)
        }

        public mutating func next() async -> Change? {
            await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            while let waiter, !Task.isCancelled {
                // From before the step: the last change may come just before the store closes.
                let isLast = waiter.isFinished
                switch cursor.step() {
                case .change(let change): return change
                case .query(let query):
                    let answer = await query.answer()
                    if let change = cursor.accept(answer) { return change }
                case .finish: self.waiter = nil
                case .wait:
                    guard !isLast else {
                        self.waiter = nil
                        break
                    }
                    let current = cursor
                    await current.log.wait(on: current.wakingTopic, with: waiter) { current.isReady }
                }
            }
            waiter = nil
            return nil
        }
    }
}
