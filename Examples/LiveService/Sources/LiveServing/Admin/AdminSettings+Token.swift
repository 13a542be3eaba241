import Settle

extension AdminSettings {
    /// Whether nobody has a token.
    var isClosed: Bool { snapshot { $0.token.revealed.isEmpty && $0.tokens.revealed.isEmpty } }

    /// The name that belongs to a token; `nil` if it is none of the configured ones. Each is compared, whatever comes
    /// before it.
    func holder(of token: AdminToken) -> String? {
        let (first, name, others) = snapshot { ($0.token, $0.name, $0.tokens.revealed) }
        let found = others.filter { token.matches(Secret($0.value)) }.keys.min()
        return token.matches(first) ? name : found
    }

    /// Sets a random token if none is set, and returns whether it did. The token is on stable storage by then.
    @discardableResult
    public func createTokenIfMissing() async throws -> Bool {
        guard token.revealed.isEmpty else { return false }
        // Commits are serial across processes: of two that start at once, one creates the token and the other finds it.
        return try await commit(author: "live-service serve") { settings in
            guard settings.token.revealed.isEmpty else { return false }
            settings.token = Secret(Self.randomToken())
            return true
        }
    }

    /// 256 random bits in hexadecimal digits.
    static func randomToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
