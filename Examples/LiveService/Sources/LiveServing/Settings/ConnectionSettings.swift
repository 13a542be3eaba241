public import Settle

/// How many connections the service keeps open, and for how long.
///
/// Changes apply to open connections too, except for ``sendTimeout``.
public struct ConnectionSettings: SettingsGroup {
    /// The maximum number of connections. Fewer if the process may not open as many files.
    @Setting(in: 1...100_000) public var limit = 1_000
    /// How long the first request of a connection may take to arrive, and the rest of any request after its header.
    @Setting(.check("from 0.1s to 1h", ConnectionSettings.accepts))
    public var receiveTimeout = Duration.seconds(10)
    /// How long a connection may stay open between two requests, until the header of the second has arrived.
    @Setting(.check("from 0.1s to 1h", ConnectionSettings.accepts))
    public var idleTimeout = Duration.seconds(60)
    /// How long a client may go without reading anything of what is being sent to it; twice that at most.
    @Setting(.check("from 0.1s to 1h", ConnectionSettings.accepts))
    public var sendTimeout = Duration.seconds(30)

    public init() {}

    @Sendable private static func accepts(_ timeout: Duration) -> Bool {
        .milliseconds(100) <= timeout && timeout <= .seconds(3_600)
    }
}
