/// Server-sent events: pieces of a body, to be sent as they arrive.
///
/// They end when the store closes, when the access of the client ends, with ``end()``, or when the task that reads them
/// is cancelled, as a server does when the client has gone. Events that a slow client has not read do not pile up.
///
/// Each event that a client can resume after has an identifier. A client sends the last one in the field
/// `Last-Event-ID` when it reconnects, also to this program's next process, and receives the rest.
public struct WebEvents: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = Never

    private let makeSource: @Sendable () -> any WebEventSource
    private let ending: @Sendable () -> Void

    /// - Parameters:
    ///   - end: Ends all loops over the events, from any thread.
    ///   - makeSource: Begins a loop.
    package init(end: @escaping @Sendable () -> Void, makeSource: @escaping @Sendable () -> any WebEventSource) {
        (ending, self.makeSource) = (end, makeSource)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

    /// Ends all loops over the events, from any thread, as a server does when it shuts down. Clients reconnect later.
    public func end() { ending() }

    /// The position of one loop in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var source: any WebEventSource

        public mutating func next() async -> [UInt8]? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
            await source.next(isolation: actor)
        }
    }
}

/// The pieces of one loop over ``WebEvents``.
package protocol WebEventSource {
    /// Waits for the next piece; `nil` at the end.
    mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]?
}
