public import Logging
public import Settle

public struct LoggingSettings: SettingsGroup {
    /// The least severe level that is logged.
    @Setting public var level = Logger.Level.info

    public init() {}
}
