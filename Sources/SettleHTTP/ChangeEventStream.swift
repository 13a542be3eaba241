import Settle

/// A client's stream of changes. It has what the stream needs of its request, not the request.
final class ChangeEventStream: WebEventStream {
    let entry: StreamHub.Entry
    let parts: APIParts
    let client: APIClient
    let start: StreamStart
    /// The field of the request that had the token. The token alone would be a copy for each stream.
    private let authorization: Secret<String>?

    init(_ entry: StreamHub.Entry, of parts: APIParts, for call: APICall) {
        (self.entry, self.parts, client) = (entry, parts, call.client)
        start = StreamStart(lastEventID: call.request.value(of: "last-event-id"))
        authorization = call.request.authorization
    }

    deinit { parts.streams.remove(entry) }

    /// Whether the token is still that of the same client, with the same rights.
    var isAdmitted: Bool {
        guard case .tokens(let tokens) = parts.configuration.access, let token = authorization?.bearerToken else {
            return true
        }
        return tokens.client(with: token) == client
    }

    var stallLimit: Duration { parts.configuration.streamStallLimit }

    func sleep(for duration: Duration) async throws { try await parts.configuration.sleep(duration) }

    /// The limit begins again with the next part.
    func taken() { entry.give() }

    func stall() { parts.streams.stall(entry) }

    func end() { entry.end() }

    func makeSource() -> any WebEventSource { ChangeEventSource(self) }
}
