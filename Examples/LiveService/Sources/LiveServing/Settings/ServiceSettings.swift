public import Settle

/// All settings that can be changed while the service runs.
public struct ServiceSettings: SettingsGroup {
    public let limits = RateLimitSettings()
    public let logging = LoggingSettings()
    public let maintenance = MaintenanceSettings()
    public let requests = RequestSettings()
    public let connections = ConnectionSettings()
    public let features = FeatureSettings()
    public let admin = AdminSettings()
    public let shutdown = ShutdownSettings()

    public init() {}
}
