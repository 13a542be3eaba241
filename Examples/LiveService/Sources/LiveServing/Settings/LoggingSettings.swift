public import Logging
public import Settle

/// How much to log.
public struct LoggingSettings: SettingsGroup {
    /// The minimum level.
    @Setting public var level = Logger.Level.info

    public init() {}
}
