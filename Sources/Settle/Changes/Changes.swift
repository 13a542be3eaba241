#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An async sequence of changes of a setting, a group or a store.
///
/// It starts with the first transaction after the moment in which it was made (or after the revision asked for), not with the
/// moment in which the loop starts: nothing falls in between. Changes come in the order of their revisions. The sequence
/// ends when the store closes; leaving the loop or cancelling its task unsubscribes.
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

    public struct Iterator: AsyncIteratorProtocol {
        private var cursor: ChangeCursor
        private let waiter = Waiter()
        private var hasEnded = false

        init(cursor: ChangeCursor) {
            self.cursor = cursor
        }

        public mutating func next() async -> Change? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            while !hasEnded, !Task.isCancelled {
                switch cursor.step() {
                case .change(let entry, let revision, let isDurable):
                    return Change(
                        entry, revision: revision, within: cursor.channel, isDurable: isDurable,
                        missed: cursor.takeMissed())
                case .again: break
                case .wait:
                    let current = cursor
                    await current.log.wait(on: current.wakingChannel, with: waiter) {
                        current.isReady || current.channel.successor != nil
                    }
                case .move(let successor):
                    cursor.move(to: successor)
                case .finish:
                    hasEnded = true
                }
            }
            hasEnded = true
            return nil
        }
    }
}

extension Change {
    fileprivate init(
        _ entry: LogEntry, revision: UInt64, within channel: Channel, isDurable: Bool, missed: UInt64
    ) {
        self.init(
            revision: revision, time: Date(timeIntervalSinceReferenceDate: entry.time), origin: entry.details.origin,
            writer: entry.details.writer, mutations: entry.mutations(within: channel), isDurable: isDurable,
            missed: missed)
    }
}
