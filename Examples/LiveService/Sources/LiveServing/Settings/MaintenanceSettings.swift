public import Settle

/// A switch that makes the public endpoints respond with 503.
public struct MaintenanceSettings: SettingsGroup {
    @Setting public var isOn = false
    /// The message to callers meanwhile.
    @Setting(.check("a text of 1 to 500 bytes") { (1...500).contains($0.utf8.count) })
    public var message = "The service is down for maintenance."

    public init() {}
}
