public import Logging
public import Settle

/// How much to log, and how.
public struct LoggingSettings: SettingsGroup {
    /// The spelling of the log.
    public enum Format: String, Sendable, Codable, CaseIterable {
        /// Lines for people.
        case text
        /// A JSON object on each line.
        case json
    }

    /// The minimum level.
    @Setting public var level = Logger.Level.info
    /// How each line is spelled.
    @Setting public var format = Format.text

    public init() {}
}
