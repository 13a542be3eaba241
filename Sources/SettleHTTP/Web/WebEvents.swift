import Synchronization

/// Server-sent events: pieces of a body, to be sent as they arrive; see ``send(by:)``.
///
/// They end when the store closes, when the access of the client ends, with ``end()``, or when the task that reads them
/// is cancelled, as a server does when the client has gone. Events that a slow client has not read do not pile up.
///
/// Each event that a client can resume after has an identifier. A client sends the last one in the field
/// `Last-Event-ID` when it reconnects, also to this program's next process, and receives the rest.
public struct WebEvents: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = Never

    /// The error of a client that has taken nothing for too long.
    public struct StalledClient: Error, Hashable, CustomStringConvertible {
        /// How long the client has taken nothing.
        public let duration: Duration

        public var description: String { "The client of the stream has taken nothing for \(duration)." }
    }

    private let stream: any WebEventStream

    package init(_ stream: any WebEventStream) {
        self.stream = stream
    }

    /// The maximum size of a part of a piece, in bytes. A client that takes one within the limit is not stalled.
    private static let partSize = 16 << 10

    /// Passes each piece to a closure that writes it, until the events end. A long piece comes in parts of 16 KiB.
    ///
    /// A client that does not take a part within ``SettingsAPI/Configuration/streamStallLimit``, or within 60 seconds
    /// from a panel, loses its stream: the task that writes is cancelled.
    ///
    /// - Parameter write: Writes a part, and returns once there is room for more. It must return soon after its task
    ///   is cancelled.
    /// - Throws: ``StalledClient``; `CancellationError`; or the error of the closure, such as that of a connection that
    ///   the client has closed. None of them is a failure of the program: the server closes the connection.
    public func send(by write: @escaping @Sendable ([UInt8]) async throws -> Void) async throws {
        for await piece in self { try await send(piece, by: write) }
        try Task.checkCancellation()
    }

    /// Sends a piece, part by part. Not inlined: a stream keeps the frame of the caller while it waits.
    @inline(never)
    private func send(
        _ piece: [UInt8], by write: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        for start in stride(from: 0, to: piece.count, by: Self.partSize) {
            if start > 0 { stream.taken() }
            try await send(part: Array(piece[start...].prefix(Self.partSize)), by: write)
        }
    }

    private func send(
        part: [UInt8], by write: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            defer { tasks.cancelAll() }
            let hasEnded = Atomic(false)
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                // Most clients have room, and a write to one ends at once. The limit is not begun then: its sleep would
                // take memory until its time, even cancelled.
                tasks.addImmediateTask {
                    defer { hasEnded.store(true, ordering: .relaxed) }
                    try await write(part)
                }
            } else {
                tasks.addTask { try await write(part) }
            }
            if !hasEnded.load(ordering: .relaxed) {
                tasks.addTask { [stream] in
                    let limit = stream.stallLimit
                    try await stream.sleep(for: limit)
                    stream.stall()
                    throw StalledClient(duration: limit)
                }
            }
            try await tasks.next()
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source: stream.makeSource()) }

    /// Ends all loops over the events, from any thread, as a server does when it shuts down. Clients reconnect later.
    public func end() { stream.end() }

    /// The position of one loop in the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var source: any WebEventSource

        public mutating func next() async -> [UInt8]? {
            await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
            await source.next(isolation: actor)
        }
    }
}

/// What ``WebEvents`` come from, and what ends them. One object, because a server has several closures that hold a
/// stream until it ends.
package protocol WebEventStream: AnyObject, Sendable {
    /// How long a client may take nothing. By default 60 seconds.
    var stallLimit: Duration { get }

    /// Waits, for that limit.
    func sleep(for duration: Duration) async throws

    /// Called when the client has taken a part of a piece that is not its last. By default does nothing.
    func taken()

    /// Called before a loop ends because of that limit.
    func stall()

    /// Ends all loops over the events, from any thread.
    func end()

    /// Begins a loop.
    func makeSource() -> any WebEventSource
}

extension WebEventStream {
    package var stallLimit: Duration { .seconds(60) }

    package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }

    package func taken() {}

    package func stall() {}
}

/// The pieces of one loop over ``WebEvents``.
package protocol WebEventSource {
    /// Waits for the next piece; `nil` at the end.
    mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]?
}
