public import Settle

/// How many requests the public endpoints take.
public struct RateLimitSettings: SettingsGroup {
    /// Requests per second in the long run.
    @Setting(in: 1...100_000) public var perSecond = 1_000
    /// Requests at once after a quiet time.
    @Setting(in: 1...100_000) public var burst = 1_000

    public init() {}
}
