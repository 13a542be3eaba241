public import Settle

/// How many connections the service keeps open, and for how long.
///
/// Changes apply to open connections too.
public struct ConnectionSettings: SettingsGroup {
    /// The maximum number of connections. Fewer if the process may not open as many files.
    @Setting(in: 1...100_000) public var limit = 1_000
    /// How long a request may take to arrive, from its first byte to its last.
    @Setting(.check("from 0.1s to 1h", ConnectionSettings.accepts))
    public var receiveTimeout = Duration.seconds(10)
    /// How long a connection may stay open between two requests.
    @Setting(.check("from 0.1s to 1h", ConnectionSettings.accepts))
    public var idleTimeout = Duration.seconds(60)
    /// How long a client may go without reading anything of what is being sent to it.
    @Setting(.check("from 0.1s to 1h", ConnectionSettings.accepts))
    public var sendTimeout = Duration.seconds(30)

    public init() {}

    @Sendable private static func accepts(_ timeout: Duration) -> Bool {
        .milliseconds(100) <= timeout && timeout <= .seconds(3_600)
    }
}
