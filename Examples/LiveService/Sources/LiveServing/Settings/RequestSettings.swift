public import Settle

/// Settings for each request to the public endpoints.
public struct RequestSettings: SettingsGroup {
    /// How long a public endpoint may take before it responds with 504.
    @Setting(.check("from 0.01s to 60s") { .milliseconds(10) <= $0 && $0 <= .seconds(60) })
    public var timeout = Duration.seconds(5)

    public init() {}
}
