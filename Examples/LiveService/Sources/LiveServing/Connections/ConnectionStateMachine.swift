import NIOCore

/// What a connection is waiting for, and until when.
struct ConnectionStateMachine {
    /// The request that was delivered last.
    private enum Request {
        case none
        /// Its head has arrived, its end has not.
        case incomplete
        /// It has arrived in full, and has not been answered.
        case complete
    }

    /// Why a connection should be cut off.
    enum Overdue: String {
        /// No request has come for a long time.
        case idle
        /// A request's head is too slow.
        case slowHead = "slow_head"
        /// A request's body is too slow.
        case slowBody = "slow_body"
        /// The client does not read what is sent to it.
        case stalled
        /// The client has not closed its side after the service has closed its own.
        case lingering
    }

    private var request = Request.none
    /// The answers that have not been sent in full.
    private var unsentAnswers = 0
    private var idleSince: NIODeadline
    /// When the first byte of an incomplete request arrived; for a new connection, when it was opened.
    private var receivingSince: NIODeadline?
    private var stalledSince: NIODeadline?
    private var sent = 0
    private var leavingSince: NIODeadline?
    private(set) var hasReceivedBytes = false

    init(now: NIODeadline) {
        idleSince = now
        receivingSince = now
    }

    /// Whether the connection can be closed without leaving a request unanswered that has arrived in full.
    var isDispensable: Bool { isLeaving || request != .complete }

    /// Whether bytes were waiting to be sent when that was last measured.
    var isSending: Bool { stalledSince != nil }

    var isLeaving: Bool { leavingSince != nil }

    mutating func bytesArrived(at now: NIODeadline) {
        hasReceivedBytes = true
        // While a complete request is processed, reading of the next one is suspended: it takes no time.
        if request != .complete, receivingSince == nil { receivingSince = now }
    }

    mutating func requestBegan() {
        request = .incomplete
        unsentAnswers += 1
    }

    mutating func requestArrived(at now: NIODeadline) {
        receivingSince = nil
        guard unsentAnswers > 0 else { return rest(at: now) }
        request = .complete
    }

    /// The rest of a slow request is not waited for any more.
    mutating func requestGivenUp() {
        receivingSince = nil
    }

    /// An answer has been sent in full.
    mutating func answerSent(at now: NIODeadline) {
        unsentAnswers -= 1
        // A request may be answered before its body has arrived.
        if unsentAnswers == 0, request == .complete { rest(at: now) }
    }

    private mutating func rest(at now: NIODeadline) {
        request = .none
        idleSince = now
    }

    /// - Parameters:
    ///   - sent: The number of bytes that the system has taken so far.
    ///   - isWaiting: Whether there are more.
    mutating func sendingProgressed(sent: Int, isWaiting: Bool, at now: NIODeadline) {
        if !isWaiting {
            stalledSince = nil
        } else if stalledSince == nil || sent != self.sent {
            stalledSince = now
        }
        self.sent = sent
    }

    mutating func left(at now: NIODeadline) {
        leavingSince = now
    }

    /// The next moment at which the connection is overdue, and why; `nil` if it may go on as it is.
    func deadline(_ timeouts: ConnectionTimeouts) -> (time: NIODeadline, reason: Overdue)? {
        if let leavingSince { return (leavingSince + timeouts.leave, .lingering) }
        let deadlines: [(time: NIODeadline, reason: Overdue)?] = [
            stalledSince.map { ($0 + timeouts.send, .stalled) },
            receivingSince.map { ($0 + timeouts.receive, request == .none ? .slowHead : .slowBody) },
            request == .none && receivingSince == nil ? (idleSince + timeouts.idle, .idle) : nil,
        ]
        return deadlines.compactMap { $0 }.min { $0.time < $1.time }
    }
}
