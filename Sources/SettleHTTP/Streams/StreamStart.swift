import Settle

/// The position at which a stream of changes begins.
enum StreamStart: Sendable, Hashable {
    /// With a snapshot: the client is new.
    case snapshot
    /// After the last event that the client has seen.
    case after(ChangeToken)
    /// With a snapshot that says that changes may have been missed: the client's identifier is not a token.
    case lost

    /// - Parameter lastEventID: The value of the field `Last-Event-ID`.
    init(lastEventID: String?) {
        guard let lastEventID, !lastEventID.isEmpty else {
            self = .snapshot
            return
        }
        self = ChangeToken(lastEventID).map { .after($0) } ?? .lost
    }

    var token: ChangeToken? {
        guard case .after(let token) = self else { return nil }
        return token
    }
}
