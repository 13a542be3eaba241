import Settle

/// Where a stream of changes begins.
enum StreamStart: Sendable, Hashable {
    /// With a snapshot: the client is new.
    case anew
    /// After the last event that the client has seen.
    case after(ChangeToken)
    /// With a snapshot that says that changes may have been missed: what the client names is no place.
    case lost

    /// - Parameter lastEventID: What the client has sent as `Last-Event-ID`.
    init(lastEventID: String?) {
        guard let lastEventID, !lastEventID.isEmpty else {
            self = .anew
            return
        }
        self = ChangeToken(lastEventID).map { .after($0) } ?? .lost
    }

    var token: ChangeToken? {
        guard case .after(let token) = self else { return nil }
        return token
    }
}
