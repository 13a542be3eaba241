import NIOHTTP1

/// What happens on a connection, told to its ``ConnectionHandler`` as outbound events.
enum ConnectionEvent {
    case requestBegan
    case requestArrived
    /// An answer has been sent in full.
    case answerSent
    /// Answers a request that can't be delivered, and leaves.
    case refuse(ServiceError)
    /// Answers what can't be parsed, and leaves.
    case notHTTP(HTTPParserError)
    /// Closes the connection once the client has read everything.
    case leave
    /// Makes room for a new connection, unless a request is being processed.
    case giveWay
    /// The time-outs have changed.
    case reconsider
}

/// The body of a request that has begun takes too long to arrive: an inbound event.
struct BodyTooSlow {}
