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
        /// The store is closed.
        case end
    }

    func add(to router: some RouterMethods<some RequestContext>) {
        router.get("settings/changes") { request, _ in
            let start = try events.start(after: request.headers[.lastEventID])
            // Only now, though it was right a moment ago: from here on a change of the token is one of the changes.
            guard let token = AdminToken(of: request), token.matches(settings.token) else {
                throw HTTPError(.unauthorized)
            }
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
        events: for await occurrence in occurrences(start.changes).cancelOnGracefulShutdown() {
            // The change of the token is itself a change. Who holds the old one is told neither of it nor of what follows.
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
    private func occurrences(_ changes: Changes) -> some AsyncSequence<Occurrence, Never> & Sendable {
        merge(
            chain(changes.map { Occurrence.change($0) }, [Occurrence.end].async),
            heartbeats.map { Occurrence.heartbeat })
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifNoneMatch
}
