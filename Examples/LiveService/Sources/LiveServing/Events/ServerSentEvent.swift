/// An event of a `text/event-stream`, or a comment that keeps the connection alive.
enum ServerSentEvent: Sendable, Hashable {
    /// - Parameter id: A revision, from which the client may resume.
    case event(name: String, id: UInt64, data: String)
    case comment(String)

    /// The text that is sent. Data of several lines has a field for each line.
    var text: String {
        switch self {
        case .event(let name, let id, let data):
            let lines = data.split(separator: "\n", omittingEmptySubsequences: false)
            return "event: \(name)\nid: \(id)\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
        case .comment(let words):
            return ": \(words)\n\n"
        }
    }
}
