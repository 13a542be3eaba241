import NIOCore

/// The time-outs of a connection, as they are set at the moment.
struct ConnectionTimeouts: Equatable {
    var receive: TimeAmount
    var idle: TimeAmount
    var send: TimeAmount
    /// How long a client may take to close its side after the service has closed its own.
    var leave = TimeAmount.seconds(2)
}

extension ConnectionTimeouts {
    init(_ settings: ConnectionSettings) {
        self.init(
            receive: TimeAmount(settings.receiveTimeout), idle: TimeAmount(settings.idleTimeout),
            send: TimeAmount(settings.sendTimeout))
    }
}

/// Everything that open connections have to comply with.
struct ConnectionLimits: Equatable {
    let limit: Int
    let timeouts: ConnectionTimeouts

    init(_ settings: ConnectionSettings) {
        limit = settings.limit
        timeouts = ConnectionTimeouts(settings)
    }
}
