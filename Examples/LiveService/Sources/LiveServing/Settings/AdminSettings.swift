public import Settle

public struct AdminSettings: SettingsGroup {
    /// The bearer token of the admin endpoints, which are closed while it is empty.
    @Setting(where: { $0.revealed.isEmpty || $0.revealed.utf8.count >= 16 }, "empty or at least 16 bytes long")
    public var token = Secret("")

    public init() {}
}
