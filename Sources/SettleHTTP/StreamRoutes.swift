import Settle

/// The route of changes as they happen: until the client leaves, its token is replaced, or the store closes.
struct StreamRoutes: Sendable {
    let parts: APIParts

    var routes: [Route] { [changes] }

    private static let headers: [(name: String, value: String)] = [
        ("Content-Type", "text/event-stream; charset=utf-8"), ("Cache-Control", "no-store"),
        ("X-Accel-Buffering", "no"),
    ]

    private var changes: Route {
        let operation = Operation(
            method: "GET", path: "/settings/changes", name: "followSettings", summary: "Changes as server-sent events",
            parameters: [
                .header(
                    "Last-Event-ID",
                    "The id of the last event seen, to resume after it, also after a restart of the program.")
            ],
            answers: [
                .text(
                    "Events, until the program stops or the token changes. Their data is JSON: that of `covered` is a "
                        + "Settings.CoveredEvent, that of `snapshot` a Settings.SnapshotEvent, and that of `change` a "
                        + "Settings.ChangeEvent.", as: "text/event-stream"),
                .problem(503, "Too many streams are open."),
            ])
        return Route(operation: operation) { call in
            // The headers are those of the stream, whose length is unknown.
            guard call.request.method != "HEAD" else { return WebResponse(200, Self.headers) }
            return try stream(call)
        }
    }

    private func stream(_ call: APICall) throws(Problem) -> WebResponse {
        guard let entry = parts.streams.add() else {
            var problem = Problem(
                .tooManyStreams, "At most \(parts.configuration.streamLimit) streams are open at once.")
            problem.headers = [("Retry-After", "5")]
            throw problem
        }
        let start = StreamStart(lastEventID: call.request.value(of: "last-event-id"))
        if start != .snapshot { parts.counts.count(.resumption) }
        let admits = admission(of: call)
        let events = WebEvents(
            stallLimit: parts.configuration.streamStallLimit, sleep: parts.configuration.sleep,
            stall: { entry.stall() }, end: { entry.end() }
        ) { [parts, client = call.client] in
            // Not the call: a stream would keep its whole request.
            ChangeEventSource(entry, of: parts, for: client, from: start, isAdmitted: admits)
        }
        return WebResponse(200, Self.headers, .events(events))
    }

    /// Returns whether the token of a request is still that of the same client, with the same rights.
    private func admission(of call: APICall) -> @Sendable () -> Bool {
        guard case .tokens(let tokens) = parts.configuration.access, let token = call.request.bearerToken else {
            return { true }
        }
        return { [client = call.client] in tokens.client(with: token) == client }
    }
}
