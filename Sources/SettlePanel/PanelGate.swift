import SettleHTTP

/// Admits requests, or answers them itself.
///
/// It checks, in this order: the host name of the request, the page that sent it, the session, and for a change the
/// form's token.
final class PanelGate: Sendable {
    let configuration: SettingsPanel.Configuration
    /// `nil` if everyone is admitted.
    let sessions: PanelSessions?
    /// `nil` if everyone is admitted.
    let links: OneTimeLinks?

    init(_ configuration: SettingsPanel.Configuration) {
        self.configuration = configuration
        switch configuration.access {
        case .sessions(let key, let authentication):
            sessions = PanelSessions(
                key, authentication, lifetime: configuration.sessionLifetime, limit: configuration.sessionLimit,
                base: configuration.base, isSecure: configuration.isSecure)
            links = OneTimeLinks(
                key: key, authentication: authentication, lifetime: configuration.linkLifetime.wholeSeconds)
        case .everyone: (sessions, links) = (nil, nil)
        }
    }

    /// Makes the path and query of a link that lets one browser in.
    ///
    /// - Parameters:
    ///   - name: The name of the user who gets it; `nil` for no particular user.
    ///   - path: The path of the page that it leads to; `nil` for the first one.
    ///   - origin: The path of the program's page to which the panel leads back.
    func makeLink(for name: String?, to path: String? = nil, returningTo origin: String? = nil) -> String {
        let secret = links?.make(for: UserName.usable(name), at: configuration.now()) ?? ""
        var link = "\(configuration.base)/enter?link=\(secret)"
        if let path { link += "&to=\(PercentEncoding.encoded(path))" }
        if let origin { link += "&return=\(PercentEncoding.encoded(origin))" }
        return link
    }

    /// - Parameter inside: Answers admitted requests. Its forms have the given token.
    func answer(
        _ request: WebRequest, inside: (ParsedRequest, _ formToken: String) async -> PanelResponse
    ) async -> WebResponse {
        let response = await answer(request, inside)
        if let audit = configuration.audit, let event = PanelAuditEvent(response, to: request) { audit(event) }
        return response.secured()
    }

    private func answer(
        _ request: WebRequest, _ inside: (ParsedRequest, String) async -> PanelResponse
    ) async -> PanelResponse {
        if let refusal = OriginCheck(hosts: configuration.hosts).refusal(of: request) { return refusal }
        if let refusal = refusalOfBody(of: request) { return refusal }
        // Only now: a form may have a field for every two bytes of the body.
        var visit = ParsedRequest(request, at: configuration.now())
        guard ["GET", "HEAD", "POST"].contains(request.method) else {
            return PanelResponse(405, [("Allow", "GET, HEAD, POST")])
        }
        switch (request.method, visit.path) {
        case ("POST", "/enter"): return await enter(visit)
        case (_, "/enter"): return await enterPage(visit)
        case (_, "/style.css"): return .asset(PanelAssets.style, "text/css; charset=utf-8")
        case (_, "/script.js"): return .asset(PanelAssets.script, "text/javascript; charset=utf-8")
        default: break
        }
        guard let sessions else {
            visit.user = UserName.usable(request.user)
            return await inside(visit, "").by(visit.user)
        }
        do {
            guard let session = try await sessions.admitted(request, at: visit.now) else {
                return visit.path == "/icon" ? .icon : strangerPage(visit)
            }
            (visit.session, visit.user) = (session, session.record.name)
            return await answer(visit, of: session, in: sessions, inside).by(visit.user)
        } catch {
            return .sentence(503, "\(error)")
        }
    }

    private func refusalOfBody(of request: WebRequest) -> PanelResponse? {
        guard request.body.count <= SettingsPanel.bodyLimit else {
            return .sentence(413, "The request is larger than 1 MiB, so nothing was changed.")
        }
        // A list whose last entries were cut off on the way would be stored like that. A server that decompresses
        // bodies may leave the field as it was.
        guard request.method == "POST", request.value(of: "content-encoding") == nil,
            let length = request.value(of: "content-length").flatMap({ Int($0) }), length > request.body.count
        else { return nil }
        return .sentence(
            413, "Only \(request.body.count) of the request's \(length) bytes arrived, so nothing was changed.")
    }

    /// Answers a request of a session.
    private func answer(
        _ visit: ParsedRequest, of session: AdmittedSession, in sessions: PanelSessions,
        _ inside: (ParsedRequest, String) async -> PanelResponse
    ) async -> PanelResponse {
        let token = sessions.formToken(for: session)
        if visit.request.method == "POST", !(visit.form["form"] ?? "").isSameSecret(as: token) {
            return .sentence(403, "The form is of another session. Load the page again, and repeat the change.")
        }
        switch (visit.request.method, visit.path) {
        case ("POST", "/leave"): return await end(session.id, visit, session, sessions)
        case ("POST", "/sessions/end"): return await end(visit.form["session"] ?? "", visit, session, sessions)
        case ("GET", "/sessions"), ("HEAD", "/sessions"): return await sessionsPage(visit, token, session, sessions)
        default: break
        }
        var response = await inside(visit, token)
        if let cookie = await sessions.renewal(of: session, at: visit.now) { response.headers.append(cookie) }
        return response
    }

    func strangerPage(_ visit: ParsedRequest) -> PanelResponse {
        if visit.path.hasSuffix("/events") { return .sentence(401, "The session has ended.") }
        return SignInPage(context: context(visit)).refusal
    }

    /// Returns the data for pages that show no settings.
    func context(_ visit: ParsedRequest, formToken: String = "") -> PageContext {
        visit.context(
            PanelContents(title: configuration.title, panes: []), base: configuration.base, formToken: formToken,
            configuration)
    }
}

extension PanelResponse {
    /// Returns a file of the panel, whose address changes when the file changes.
    fileprivate static func asset(_ bytes: [UInt8], _ type: String) -> PanelResponse {
        PanelResponse(
            200, [("Content-Type", type), ("Cache-Control", "public, max-age=31536000, immutable")],
            .bytes(bytes))
    }

    /// The icon for programs without one.
    static let icon = PanelResponse(
        200, [("Content-Type", "image/svg+xml")], .bytes(PanelAssets.icon))
}
