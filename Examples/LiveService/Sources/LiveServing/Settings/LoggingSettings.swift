public import Logging
public import Settle

/// How much is logged.
public struct LoggingSettings: SettingsGroup {
    /// The least severe level that is logged.
    @Setting public var level = Logger.Level.info

    public init() {}
}
