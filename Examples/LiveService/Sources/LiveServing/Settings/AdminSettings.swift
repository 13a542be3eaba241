public import Settle

/// Who may change settings through the service.
public struct AdminSettings: SettingsGroup {
    /// The bearer token of the admin endpoints, which are closed while there is none.
    @Setting(.check("empty or at least 16 ASCII characters without spaces", AdminSettings.accepts(token:)))
    public var token = Secret("")
    /// The author of changes that are made with that token.
    @Setting(.check("a name of 1 to 80 bytes that can be seen", AdminSettings.accepts(name:)))
    public var name = "admin"
    /// More tokens, by the author of the changes that are made with each.
    @Setting(
        .check(
            "different tokens of at least 16 ASCII characters without spaces, by names of 1 to 80 bytes that can be seen",
            AdminSettings.accepts(tokens:)))
    public var tokens = Secret<[String: String]>([:])

    public init() {}

    /// A text that fits into a header and is too long to guess.
    @Sendable private static func accepts(token: Secret<String>) -> Bool {
        token.revealed.isEmpty || isUsable(token: token.revealed)
    }

    @Sendable private static func accepts(name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 80 && name.visible == name
    }

    @Sendable private static func accepts(tokens: Secret<[String: String]>) -> Bool {
        let all = tokens.revealed
        return Set(all.values).count == all.count && all.allSatisfy { accepts(name: $0) && isUsable(token: $1) }
    }

    private static func isUsable(token: String) -> Bool {
        token.utf8.count >= 16 && token.utf8.allSatisfy { (33...126).contains($0) }
    }
}
