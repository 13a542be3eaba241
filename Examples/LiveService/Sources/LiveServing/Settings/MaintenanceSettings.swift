public import Settle

/// A switch that has the public endpoints answer 503.
public struct MaintenanceSettings: SettingsGroup {
    @Setting public var isOn = false
    /// What callers are told meanwhile.
    @Setting(where: { (1...200).contains($0.count) }, "a text of 1 to 200 characters")
    public var message = "The service is down for maintenance."

    public init() {}
}
