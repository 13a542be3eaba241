import AsyncAlgorithms
import HTTPTypes
import Hummingbird
import ServiceLifecycle
import Settle

/// `GET /settings/changes`: changes as they happen, until the client leaves, its token is replaced, or the service
/// stops.
struct ChangesRoute: Sendable {
    let events: ChangeEvents
    let settings: AdminSettings
    let heartbeats: Heartbeats

    /// How long a client may take, after the service stops, to read what is left.
    private static let patience = Duration.seconds(1)

    private static let headers: HTTPFields = [
        .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
    ]

    /// The events while a stream is open.
    private enum Occurrence: Sendable {
        case change(Change)
        case heartbeat
        /// The store has closed.
        case end
    }

    private static func operation(_ method: HTTPRequest.Method) -> Operation {
        Operation(
            method: method, path: "/settings/changes", summary: "Changes as server-sent events", access: .admin,
            parameters: [
                Operation.Parameter(
                    name: "Last-Event-ID", place: .header, description: "The id of the last event seen.",
                    schema: .string)
            ],
            answers: [.text("Events, until the service stops or the token changes.", as: "text/event-stream")])
    }

    var endpoints: [Endpoint] { [get, head] }

    /// Without it, the headers would promise an empty body.
    private var head: Endpoint {
        Endpoint(operation: Self.operation(.head)) { _, _ in
            Response(status: .ok, headers: Self.headers, body: ResponseBody { try await $0.finish(nil) })
        }
    }

    private var get: Endpoint {
        Endpoint(operation: Self.operation(.get)) { request, context in
            let start = try events.start(after: request.headers[.lastEventID])
            // Checked again now: from here on, replacing the token is one of the changes.
            guard let token = AdminToken(of: request), token.matches(settings.token) else {
                throw HTTPError(.unauthorized)
            }
            return Response(
                status: .ok, headers: Self.headers,
                body: ResponseBody { writer in
                    // Only one task uses it at a time: this one passes it to a child and waits.
                    nonisolated(unsafe) var writer = writer
                    try await withCancellation(after: context.untilClientLeaves()) {
                        try await withPatienceAtShutdown(Self.patience, clock: heartbeats.clock) {
                            try await send(start, to: &writer, token: token)
                        }
                    }
                })
        }
    }
}

extension ChangesRoute {
    /// Not on the caller's actor, because the writer, which is not Sendable, is not there either.
    @concurrent
    private func send(
        _ start: ChangeEvents.Start, to writer: inout any ResponseBodyWriter, token: AdminToken
    ) async throws {
        var seen = start.revision
        let first = start.snapshot ?? .comment("going on after revision \(seen)")
        try await writer.write(ByteBuffer(string: first.text))
        events: for await occurrence in occurrences(start.changes).cancelOnGracefulShutdown() {
            // Replacing the token is itself a change. A holder of the old token must not see it, nor what follows.
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

    /// The events in order. A slow reader's changes wait in the store's log, not here.
    private func occurrences(_ changes: Changes) -> some AsyncSequence<Occurrence, Never> & Sendable {
        merge(
            chain(changes.map { Occurrence.change($0) }, [Occurrence.end].async),
            heartbeats.map { Occurrence.heartbeat })
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifNoneMatch
}
