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
    let counts: StreamCounts

    /// How long a client may take, after the service stops, to read what is left.
    private static let patience = Duration.seconds(1)

    private static let headers: HTTPFields = [
        .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
    ]

    private static func operation(_ method: HTTPRequest.Method) -> Operation {
        Operation(
            method: method, path: "/settings/changes", summary: "Changes as server-sent events", access: .admin,
            parameters: [
                Operation.Parameter(
                    name: "Last-Event-ID", place: .header,
                    description:
                        "The id of the last event seen, to go on after it, also after a restart of the service.",
                    schema: .string)
            ],
            answers: [
                .text(
                    "Events, until the service stops or the token changes. Their data is JSON: that of `covered` is a "
                        + "CoveredEvent, that of `snapshot` a SnapshotEvent, and that of `change` a ChangeEvent.",
                    as: "text/event-stream")
            ])
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
            let start = StreamStart(lastEventID: request.headers[.lastEventID])
            let changes = StreamChanges(of: events.store, from: start, heartbeats: heartbeats)
            // Checked again now: from here on, replacing the token is one of the changes.
            guard let token = AdminToken(of: request), settings.holder(of: token) != nil else {
                throw HTTPError(.unauthorized)
            }
            counts.began(start)
            return Response(
                status: .ok, headers: Self.headers,
                body: ResponseBody { writer in
                    // Only one task uses it at a time: this one passes it to a child and waits.
                    nonisolated(unsafe) var writer = writer
                    try await withCancellation(after: context.untilClientLeaves()) {
                        try await withPatienceAtShutdown(Self.patience, clock: heartbeats.clock) {
                            try await send(changes, to: &writer, token: token)
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
        _ changes: StreamChanges, to writer: inout any ResponseBodyWriter, token: AdminToken
    ) async throws {
        var teller = try StreamTeller(events, from: changes.start)
        try await writer.write(ByteBuffer(string: teller.beginning.text))
        for await occurrence in changes.occurrences.cancelOnGracefulShutdown() {
            // Replacing the token is itself a change. A holder of the old token must not see it, nor what follows.
            guard settings.holder(of: token) != nil, !occurrence.isEnd else { break }
            let events = try teller.events(for: occurrence)
            if teller.isLost { counts.lost() }
            for event in events {
                try await writer.write(ByteBuffer(string: event.text))
            }
        }
        try await writer.finish(nil)
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifNoneMatch
}
