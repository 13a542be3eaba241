import Settle

extension AdminSettings {
    /// Sets a random token if none is set, and returns whether it did. The token is on stable storage by then.
    @discardableResult
    public func createTokenIfMissing() async throws -> Bool {
        guard token.revealed.isEmpty else { return false }
        // Commits are serial across processes: of two that start at once, one creates the token and the other finds it.
        return try await commit(by: "live-service serve") { settings in
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
