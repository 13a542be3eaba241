public import Logging
public import Settle

/// How much to log, and how.
public struct LoggingSettings: SettingsGroup {
    /// The minimum level.
    @Setting public var level = Logger.Level.info
    /// How each line is spelled.
    @Setting public var format = LogFormat.text

    public init() {}
}
