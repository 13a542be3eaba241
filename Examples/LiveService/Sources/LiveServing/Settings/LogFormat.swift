/// The spelling of the log.
public enum LogFormat: String, Sendable, Codable, CaseIterable {
    /// Lines for people.
    case text
    /// A JSON object on each line.
    case json
}
