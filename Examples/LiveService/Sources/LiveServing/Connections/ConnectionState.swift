import NIOCore

/// What a connection is waiting for, and until when.
struct ConnectionState {
    enum Phase {
        /// Before the first request, and before another one.
        case new, idle
        /// The header of a request has arrived; neither its rest nor its answer is complete.
        case receiving
        /// A request has arrived in full, or its rest is not waited for any more; its answer is not complete.
        case answering
        /// The last answer is complete. The client may read it, and is to close its side.
        case leaving
    }

    private(set) var phase = Phase.new
    /// When the phase began.
    private var start: NIODeadline

    init(now: NIODeadline) { start = now }

    mutating func requestBegan(at now: NIODeadline) { (phase, start) = (.receiving, now) }

    /// The request has arrived in full, or is given up.
    mutating func requestEnded() {
        if phase == .receiving { phase = .answering }
    }

    mutating func answerEnded(at now: NIODeadline) { (phase, start) = (.idle, now) }

    mutating func left(at now: NIODeadline) { (phase, start) = (.leaving, now) }

    /// When the connection will have taken too long; `nil` while the client is the one that waits.
    func deadline(_ limits: ConnectionLimits) -> NIODeadline? {
        switch phase {
        case .new, .receiving: start + limits.receive
        case .idle: start + limits.idle
        case .answering: nil
        case .leaving: start + .seconds(2)
        }
    }
}

/// The limits of connections, as they are set at the moment.
struct ConnectionLimits: Equatable {
    let count: Int
    let receive: TimeAmount
    let idle: TimeAmount
    let send: TimeAmount

    init(_ settings: ConnectionSettings) {
        count = settings.limit
        receive = TimeAmount(settings.receiveTimeout)
        idle = TimeAmount(settings.idleTimeout)
        send = TimeAmount(settings.sendTimeout)
    }
}
