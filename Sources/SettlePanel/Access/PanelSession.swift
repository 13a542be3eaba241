import Settle
import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The session of a browser that was let in, as its cookie records it.
struct PanelSession: Sendable, Hashable {
    /// A random number, as a string.
    let id: String
    /// The end of the session, in whole seconds since 1970.
    let end: Int
}

/// Begins, recognizes, renews and ends the sessions of browsers.
///
/// A cookie has the identifier and the end of a session, and a signature; the rest is in the ``SessionRegister``.
struct PanelSessions: Sendable {
    let key: PanelKey
    let authentication: any MessageAuthentication
    /// The time in seconds after which an idle session ends.
    let lifetime: Int
    /// The time in seconds after which every session ends, however often it was renewed.
    let limit: Int
    /// The path to which the cookie is sent.
    let path: String
    let isSecure: Bool
    /// The name of the cookie.
    private let name: String

    init(
        _ key: PanelKey, _ authentication: any MessageAuthentication, lifetime: Duration, limit: Duration,
        base: String, isSecure: Bool
    ) {
        (self.key, self.authentication) = (key, authentication)
        (self.lifetime, self.limit) = (lifetime.wholeSeconds, limit.wholeSeconds)
        (path, self.isSecure) = (base.isEmpty ? "/" : base, isSecure)
        // Cookies do not distinguish ports, so panels with different keys on one machine must not use the same name:
        // each would replace the other's session. A browser keeps a cookie with the prefix only from a secure origin.
        let mark = authentication.code(for: "cookie", key).prefix(12)
        name = "\(isSecure ? "__Secure-" : "")settle-panel-\(mark)"
    }

    /// The sessions and spent links that all processes with this key share.
    var list: SessionList { get async throws(PanelError) { try await key.register.opened() } }

    /// Spends a link, and begins a session for its name.
    ///
    /// - Parameters:
    ///   - browser: The browser, as it names itself.
    ///   - request: The request. The sessions of its cookies end, because the browser replaces their cookie.
    /// - Returns: `nil` if the link has been spent.
    func begin(
        with link: OneTimeLinks.Link, browser: String?, replacing request: WebRequest, at now: Date
    ) async throws -> PanelSession? {
        let replaced = signedSessions(of: request, at: now).map(\.id)
        let (list, now) = (try await list, now.wholeSeconds)
        let session = PanelSession(id: HexadecimalText.random(), end: now + min(lifetime, limit))
        let record = SessionRecord(
            name: link.name, browser: browser.map { String($0.prefix(200)) }, began: now, end: session.end)
        return try await list.commit { () -> PanelSession? in
            guard list.spentLinks[link.id] == nil else { return nil }
            var sessions = list.sessions.filter { $0.value.end > now }
            var spent = list.spentLinks.filter { $0.value > now }
            for id in replaced { sessions[id] = nil }
            sessions[session.id] = record
            spent[link.id] = link.end
            (list.sessions, list.spentLinks) = (sessions, spent)
            return session
        }
    }

    /// Returns the session of a request; `nil` if it has no cookie of this panel, or one of a session that has ended.
    func admitted(_ request: WebRequest, at now: Date) async throws(PanelError) -> AdmittedSession? {
        let sessions = signedSessions(of: request, at: now)
        guard !sessions.isEmpty else { return nil }
        let (list, now) = (try await list, now.wholeSeconds)
        for session in sessions {
            guard let record = list.sessions[session.id] else { continue }
            let end = min(session.end, record.lastEnd(limit: limit))
            guard end > now else { continue }
            return AdmittedSession(session.id, record, in: list, lifetime: .seconds(end - now))
        }
        return nil
    }

    /// Returns the sessions of the cookies that are signed with this key, and whose own time has not passed.
    private func signedSessions(of request: WebRequest, at now: Date) -> [PanelSession] {
        request.values(of: "cookie").flatMap { $0.split(separator: ";") }.compactMap { cookie in
            let parts = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == name, let session = session(String(parts[1])) else { return nil }
            return session.end > now.wholeSeconds ? session : nil
        }
    }

    /// Renews a session of which more than half has passed.
    ///
    /// - Returns: The field with the new cookie; `nil` if the session keeps its end: it is young, it has reached its
    ///   limit, or it can't be stored.
    func renewal(of session: AdmittedSession, at date: Date) async -> (name: String, value: String)? {
        let now = date.wholeSeconds
        let (id, end) = (session.id, min(now + lifetime, session.record.lastEnd(limit: limit)))
        guard session.lifetime < .seconds(lifetime / 2), .seconds(end - now) > session.lifetime,
            let list = try? await list
        else { return nil }
        let isOpen = try? await list.commit { () -> Bool in
            guard var record = list.sessions[id] else { return false }
            record.end = max(record.end, end)
            list.sessions[id] = record
            return true
        }
        return isOpen == true ? cookie(for: PanelSession(id: id, end: end), at: date) : nil
    }

    /// Ends a session, for all processes with this key.
    ///
    /// - Returns: The record of the session; `nil` if it had ended.
    func end(_ id: String) async throws -> SessionRecord? {
        let list = try await list
        return try await list.commit { () -> SessionRecord? in
            let record = list.sessions[id]
            if record != nil { list.sessions[id] = nil }
            return record
        }
    }

    /// Returns the field that gives a session's cookie to a browser.
    func cookie(for session: PanelSession, at now: Date) -> (name: String, value: String) {
        cookie(text(of: session), lasting: max(0, session.end - now.wholeSeconds))
    }

    /// The field that removes the cookie from a browser.
    var removedCookie: (name: String, value: String) { cookie("", lasting: 0) }

    private func cookie(_ text: String, lasting age: Int) -> (name: String, value: String) {
        let attributes = "HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
        return ("Set-Cookie", "\(name)=\(text); Path=\(path); Max-Age=\(age); \(attributes)")
    }

    /// Returns the token in each form, so that only pages of this session can send it.
    func formToken(for session: AdmittedSession) -> String { authentication.code(for: "form \(session.id)", key) }

    private func text(of session: PanelSession) -> String {
        let contents = "\(session.id).\(session.end)"
        return "\(contents).\(authentication.code(for: "session \(contents)", key))"
    }

    private func session(_ text: String) -> PanelSession? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let end = Int(parts[1]) else { return nil }
        let session = PanelSession(id: String(parts[0]), end: end)
        return self.text(of: session).isSameSecret(as: text) ? session : nil
    }
}

extension Date {
    /// The whole seconds since 1970.
    var wholeSeconds: Int { Int(exactly: timeIntervalSince1970.rounded(.down)) ?? 0 }
}

extension Duration {
    /// The whole seconds, at most a hundred years, so that they can be added to a time.
    var wholeSeconds: Int { Int(min(components.seconds, 3_155_760_000)) }
}
