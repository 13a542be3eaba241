public import Settle

/// A switch that makes the public endpoints respond with 503.
public struct MaintenanceSettings: SettingsGroup {
    @Setting public var isOn = false
    /// The message to callers meanwhile.
    @Setting(where: { (1...200).contains($0.count) }, "a text of 1 to 200 characters")
    public var message = "The service is down for maintenance."

    public init() {}
}
