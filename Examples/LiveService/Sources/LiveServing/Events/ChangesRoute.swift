import AsyncAlgorithms
import HTTPTypes
import Hummingbird
import ServiceLifecycle
import Settle

/// `GET /settings/changes`: changes as they happen, until the client goes, its token is changed, or the service stops.
struct ChangesRoute: Sendable {
    let events: ChangeEvents
    let settings: AdminSettings
    let heartbeats: Heartbeats

    /// How long a client may take, when the service stops, to read what it has not read yet.
    private static let patience = Duration.seconds(1)

    /// What may happen while a stream is open.
    private enum Occurrence: Sendable {
        case change(Change)
        case heartbeat
        /// The store is closed, or the client's token is not the token any more.
        case end
    }

    func add(to router: some RouterMethods<some RequestContext>) {
        router.get("settings/changes") { request, _ in
            guard let token = AdminToken(of: request) else { throw HTTPError(.unauthorized) }
            let start = try events.start(after: request.headers[.lastEventID])
            return Response(
                status: .ok,
                headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody { writer in
                    // One task at a time has it: this one hands it to a child, waits, and does not touch it again.
                    nonisolated(unsafe) var writer = writer
                    // Only in here is it noticed that the client has gone.
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        try await withPatienceAtShutdown(Self.patience, clock: heartbeats.clock) {
                            try await send(start, to: &writer, token: token)
                        }
                    }
                })
        }
    }
}

extension ChangesRoute {
    /// Not on the caller's actor, since the writer, which is not Sendable, is not either.
    @concurrent
    private func send(
        _ start: ChangeEvents.Start, to writer: inout any ResponseBodyWriter, token: AdminToken
    ) async throws {
        var seen = start.revision
        let first = start.snapshot ?? .comment("going on after revision \(seen)")
        try await writer.write(ByteBuffer(string: first.text))
        events: for await occurrence in occurrences(start.changes, token: token).cancelOnGracefulShutdown() {
            // Also of what has waited for a slow client, nothing is told to the holder of an old token.
            guard token.matches(settings.token) else { break events }
            switch occurrence {
            case .change(let change):
                guard let event = try events.event(for: change, seen: &seen) else { continue }
                try await writer.write(ByteBuffer(string: event.text))
            case .heartbeat:
                try await writer.write(ByteBuffer(string: ServerSentEvent.comment("still here").text))
            case .end:
                break events
            }
        }
        try await writer.finish(nil)
    }

    /// What happens, one thing after the other. A client that reads slowly makes its changes wait in the store's log, not here.
    private func occurrences(
        _ changes: Changes, token: AdminToken
    ) -> some AsyncSequence<Occurrence, Never> & Sendable {
        merge(
            chain(changes.map { Occurrence.change($0) }, [Occurrence.end].async),
            heartbeats.map { Occurrence.heartbeat },
            settings.$token.filter { !token.matches($0) }.map { _ in Occurrence.end })
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifNoneMatch
}
