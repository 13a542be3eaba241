/// An event of a `text/event-stream`, or a comment that keeps the connection alive.
enum ServerSentEvent: Sendable, Hashable {
    /// - Parameter id: A place, from which the client may go on. Without one, the client keeps the place that it has.
    case event(name: String, id: String?, data: String)
    case comment(String)

    /// The text that is sent. Data of several lines has a field for each line.
    var text: String {
        switch self {
        case .event(let name, let id, let data):
            let lines = data.split(separator: "\n", omittingEmptySubsequences: false)
            let place = id.map { "id: \($0)\n" } ?? ""
            return "event: \(name)\n\(place)" + lines.map { "data: \($0)\n" }.joined() + "\n"
        case .comment(let words):
            return ": \(words)\n\n"
        }
    }
}
