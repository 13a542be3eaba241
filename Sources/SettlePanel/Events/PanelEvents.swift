import Settle

/// Server-sent events: pieces of a body, to be sent as they come.
///
/// They end when the store closes, when the browser's session ends, with ``end()``, or when the task that reads them is
/// cancelled, as a server does when the browser has gone. What a slow browser has not read does not pile up: changes
/// that wait are told as one.
///
/// Each event has an identifier: the place in the store's history, with marks of what the page shows then. A browser
/// sends it with the field `Last-Event-ID` when it connects again, also to this program's next process, and is told
/// what is not as it shows it. A page that is new says in the address of its stream what it was made with.
public struct PanelEvents: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = Never

    private let store: SettingsStore
    private let undeclared: [SettingKey]
    private let ending: EventStreamControl
    private let makeRenderer: @Sendable () -> Renderer

    /// Writes the events of one iterator, and remembers what they have said.
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

    /// Ends all loops over them, from any thread, as a server does when it shuts down. Browsers connect again later.
    public func end() { ending.end() }

    /// One loop's place in the sequence.
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
