public import Settle
public import SettleHTTP

/// Who may change settings through the service.
public struct AdminSettings: SettingsGroup {
    /// The bearer token of the API, whose holder is the author “admin”. The API is closed while there is no token at all.
    @Setting(.check("empty or at least 16 ASCII characters without spaces", AdminSettings.accepts))
    public var token = Secret("")
    /// More tokens by the names of their holders, who are the authors of the changes that are made with them.
    @Setting public var tokens = Secret<[String: APIToken]>([:])

    public init() {}

    /// A text that fits into a header and is too long to guess.
    @Sendable private static func accepts(_ token: Secret<String>) -> Bool {
        let bytes = token.revealed.utf8
        return bytes.isEmpty || bytes.count >= 16 && bytes.allSatisfy { (33...126).contains($0) }
    }

    /// Sets a random token if none is set, and returns whether it did. The token is on stable storage by then.
    @discardableResult
    public func createTokenIfMissing() async throws -> Bool {
        guard isTokenMissing else { return false }
        // Commits are serial across processes: of two that start at once, one creates the token and the other finds it.
        return try await commit(author: "live-service serve") { settings in
            guard settings.isTokenMissing else { return false }
            settings.token = Secret(Self.randomToken())
            return true
        }
    }

    /// Whether no token is in force, and none is stored beneath an empty one of another domain, such as a variable.
    private var isTokenMissing: Bool { token.revealed.isEmpty && $token.domains.stored?.revealed.isEmpty != false }

    /// 256 random bits in hexadecimal digits.
    static func randomToken() -> String {
        (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
