import SettleHTTP

/// Something that a panel reports for the program's log: who came and went, what was refused, and what was changed.
///
/// It never has a value, a link or a cookie. Set ``SettingsPanel/Configuration/audit`` to receive them.
public struct PanelAuditEvent: Sendable, Hashable {
    /// The kind of an event. Later versions may report more, so a switch over it needs a default.
    public enum Kind: Sendable, Hashable {
        /// A browser has used a link; ``PanelAuditEvent/user`` is the name that the link was made for.
        case entered
        /// A user has signed out.
        case left
        /// A user has ended another session, of a user with that name.
        case endedSession(of: String?)
        /// Values of these keys were stored or removed.
        case changed(keys: [String])
        /// The request was refused with a status from 400 to 499, such as 401 without a session, 403 or 421 from a page
        /// of another site, 409 for a conflict and 422 for a broken rule. A page that does not exist (404) is not
        /// reported.
        case refused(status: Int)
    }

    /// The kind of the event.
    public let kind: Kind
    /// The name of the session's user; `nil` if it has none, or if there is no session.
    public let user: String?
    /// The method of the request, as it was sent.
    public let method: String
    /// The first 200 bytes of the path below the panel's own path, percent-encoded and without the query, which may
    /// have a link.
    public let path: String
}

extension PanelAuditEvent {
    /// Creates the report of a response; `nil` if there is nothing to report.
    init?(_ response: PanelResponse, to request: WebRequest) {
        let isRefused = (400..<500).contains(response.status) && response.status != 404
        guard let kind = response.event ?? (isRefused ? .refused(status: response.status) : nil) else { return nil }
        (self.kind, user, method) = (kind, response.user, request.method)
        path = String(decoding: request.target.utf8.prefix { $0 != UInt8(ascii: "?") }.prefix(200), as: UTF8.self)
    }
}
