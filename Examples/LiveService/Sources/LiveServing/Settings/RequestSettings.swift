public import Settle

/// What holds for each request of the public endpoints.
public struct RequestSettings: SettingsGroup {
    /// How long a public endpoint may take before its caller gets 504.
    @Setting(where: { .milliseconds(10) <= $0 && $0 <= .seconds(60) }, "from 0.01s to 60s")
    public var timeout = Duration.seconds(5)

    public init() {}
}
