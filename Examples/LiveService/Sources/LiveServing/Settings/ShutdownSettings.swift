public import Settle

/// How the service ends.
public struct ShutdownSettings: SettingsGroup {
    /// How long it takes requests although it is no longer ready, so that a load balancer notices in time.
    @Setting(.check("from 0s to 60s") { .zero <= $0 && $0 <= .seconds(60) })
    public var grace = Duration.seconds(2)

    public init() {}
}
