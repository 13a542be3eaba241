public import Settle

/// Who may change settings through the service.
public struct AdminSettings: SettingsGroup {
    /// The bearer token of the admin endpoints, which are closed while it is empty.
    @Setting(where: AdminSettings.accepts, "empty or at least 16 ASCII characters without spaces")
    public var token = Secret("")

    public init() {}

    /// A text that fits into a header and is too long to guess.
    @Sendable private static func accepts(_ token: Secret<String>) -> Bool {
        let bytes = token.revealed.utf8
        return bytes.isEmpty || bytes.count >= 16 && bytes.allSatisfy { (33...126).contains($0) }
    }
}
