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

/// Issues cookies to browsers and recognizes them later, also after a restart: a cookie has all data of a session, and
/// a signature.
struct PanelSessions: Sendable {
    let key: PanelKey
    let authentication: any MessageAuthentication
    /// The lifetime of a session, in seconds.
    let lifetime: Int
    /// The path to which the cookie is sent.
    let path: String
    let isSecure: Bool
    /// The name of the cookie.
    private let name: String

    init(
        key: PanelKey, authentication: any MessageAuthentication, lifetime: Int, path: String, isSecure: Bool
    ) {
        (self.key, self.authentication, self.lifetime) = (key, authentication, lifetime)
        (self.path, self.isSecure) = (path, isSecure)
        // Cookies do not distinguish ports, so panels with different keys on one machine must not use the same name:
        // each would replace the other's session. A browser keeps a cookie with the prefix only from a secure origin.
        let mark = authentication.code(for: "cookie", key).prefix(12)
        name = "\(isSecure ? "__Secure-" : "")settle-panel-\(mark)"
    }

    func begin(at now: Date) -> PanelSession {
        PanelSession(id: HexadecimalText.random(), end: Self.seconds(now) + lifetime)
    }

    /// Returns the field that gives a session's cookie to a browser.
    func cookie(for session: PanelSession, at now: Date) -> (name: String, value: String) {
        let attributes = "HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
        let age = max(0, session.end - Self.seconds(now))
        return ("Set-Cookie", "\(name)=\(text(of: session)); Path=\(path); Max-Age=\(age); \(attributes)")
    }

    /// Returns the session of a request; `nil` if it has no cookie of this panel, or one that has ended.
    func session(of request: PanelRequest, at now: Date) -> PanelSession? {
        for field in request.values(of: "cookie") {
            for cookie in field.split(separator: ";") {
                let parts = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0] == name, let session = session(String(parts[1])) else { continue }
                if session.end > Self.seconds(now) { return session }
            }
        }
        return nil
    }

    func remainingLifetime(of session: PanelSession, at now: Date) -> Duration {
        .seconds(max(0, session.end - Self.seconds(now)))
    }

    /// Returns whether more than half of the session's time has passed, so that its cookie must be renewed.
    func isAging(_ session: PanelSession, at now: Date) -> Bool { session.end - Self.seconds(now) < lifetime / 2 }

    /// Returns the same session with its whole time remaining.
    func renewed(_ session: PanelSession, at now: Date) -> PanelSession {
        PanelSession(id: session.id, end: Self.seconds(now) + lifetime)
    }

    /// Returns the token in each form, so that only pages of this session can send it.
    func formToken(for session: PanelSession) -> String { authentication.code(for: "form \(session.id)", key) }

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

    private static func seconds(_ date: Date) -> Int { Int(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0 }
}
