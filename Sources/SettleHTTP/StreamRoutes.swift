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
        let stream = ChangeEventStream(entry, of: parts, for: call)
        if stream.start != .snapshot { parts.counts.count(.resumption) }
        return WebResponse(200, Self.headers, .events(WebEvents(stream)))
    }
}
