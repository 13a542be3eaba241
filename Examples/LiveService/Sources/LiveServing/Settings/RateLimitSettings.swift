public import Settle

/// How many requests the public endpoints accept.
public struct RateLimitSettings: SettingsGroup {
    /// Sustained requests per second.
    @Setting(in: 1...100_000) public var perSecond = 1_000
    /// Requests at once after an idle time.
    @Setting(in: 1...100_000) public var burst = 1_000

    public init() {}
}
