/// An event of a `text/event-stream`, or a comment that keeps the connection alive.
enum ServerSentEvent: Sendable, Hashable {
    /// - Parameter id: A token to resume after. Without one, the client keeps the one that it has.
    case event(name: String, id: String?, data: String)
    case comment(String)

    /// The text that is sent. Data of several lines has a field for each line.
    var text: String {
        switch self {
        case .event(let name, let id, let data):
            let lines = data.split(separator: "\n", omittingEmptySubsequences: false)
            let identifier = id.map { "id: \($0)\n" } ?? ""
            return "event: \(name)\n\(identifier)" + lines.map { "data: \($0)\n" }.joined() + "\n"
        case .comment(let text):
            return ": \(text)\n\n"
        }
    }
}
