import Settle

/// Server-sent events: pieces of a body, to be sent as they arrive.
///
/// They end when the store closes, when the browser's session expires, with the first change or heartbeat after a user
/// has ended it, with ``end()``, or when the task that reads them is
/// cancelled, as a server does when the browser has gone. Events that a slow browser has not read do not pile up:
/// waiting changes are delivered as one.
///
/// Each event has an identifier: the token in the store's history, with digests of the page's contents then. A browser
/// sends it in the field `Last-Event-ID` when it reconnects, also to this program's next process, and receives the
/// forms that differ from those it shows. A new page states in the address of its stream the contents with which it was
/// made.
public struct PanelEvents: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = Never

    private let store: SettingsStore
    private let undeclared: [SettingKey]
    private let ending: EventStreamControl
    private let makeRenderer: @Sendable () -> Renderer

    /// Writes the events of one iterator, and remembers their contents.
    typealias Renderer = (StoreFollower.Update) async -> [UInt8]

    /// - Parameter undeclared: The page's keys that no group declares.
    init(
        _ store: SettingsStore, undeclared: [SettingKey], _ ending: EventStreamControl,
        _ makeRenderer: @escaping @Sendable () -> Renderer
    ) {
        (self.store, self.undeclared, self.ending, self.makeRenderer) = (store, undeclared, ending, makeRenderer)
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(follower: StoreFollower(store, undeclared: undeclared, ending: ending), render: makeRenderer())
    }

    /// Ends all loops over the events, from any thread, as a server does when it shuts down. Browsers reconnect later.
    public func end() { ending.end() }

    /// The position of one loop in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var follower: StoreFollower
        fileprivate let render: Renderer

        public mutating func next() async -> [UInt8]? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
            guard let update = await follower.next(isolation: actor) else { return nil }
            return await render(update)
        }
    }
}
