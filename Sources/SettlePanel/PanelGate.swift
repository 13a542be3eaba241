/// Admits requests, or answers them itself.
///
/// It checks, in this order: the host name of the request, the page that sent it, the session, and for a change the
/// form's token.
final class PanelGate: Sendable {
    let configuration: SettingsPanel.Configuration
    private let sessions: PanelSessions?
    private let links: OneTimeLinks

    init(_ configuration: SettingsPanel.Configuration) {
        self.configuration = configuration
        links = OneTimeLinks(lifetime: configuration.linkLifetime.inSeconds)
        switch configuration.access {
        case .sessions(let key, let authentication):
            sessions = PanelSessions(
                key: key, authentication: authentication, lifetime: Int(configuration.sessionLifetime.inSeconds),
                path: configuration.base.isEmpty ? "/" : configuration.base, isSecure: configuration.isSecure)
        case .everyone: sessions = nil
        }
    }

    /// Makes the path and query of a link that lets one browser in.
    ///
    /// - Parameters:
    ///   - path: The path of the page that it leads to; `nil` for the first one.
    ///   - origin: The path of the program's page to which the panel leads back.
    func makeLink(to path: String? = nil, returningTo origin: String? = nil) -> String {
        var link = "\(configuration.base)/enter?link=\(links.make(at: configuration.now()))"
        if let path { link += "&to=\(PercentEncoding.encoded(path))" }
        if let origin { link += "&return=\(PercentEncoding.encoded(origin))" }
        return link
    }

    /// - Parameter inside: Answers admitted requests. Its forms have the given token.
    func answer(
        _ request: PanelRequest, inside: (ParsedRequest, _ formToken: String) async -> PanelResponse
    ) async -> PanelResponse {
        await answer(request, inside).secured()
    }

    private func answer(
        _ request: PanelRequest, _ inside: (ParsedRequest, String) async -> PanelResponse
    ) async -> PanelResponse {
        if let refusal = OriginCheck(hosts: configuration.hosts).refusal(of: request) { return refusal }
        guard request.body.count <= SettingsPanel.bodyLimit else {
            return .sentence(413, "The request is larger than 1 MiB, so nothing was changed.")
        }
        // A list whose last entries were cut off on the way would be stored like that. A server that decompresses
        // bodies may leave the field as it was.
        if let length = request.value(of: "content-length").flatMap({ Int($0) }), length > request.body.count,
            request.value(of: "content-encoding") == nil, request.method == "POST"
        {
            return .sentence(
                413, "Only \(request.body.count) of the request's \(length) bytes arrived, so nothing was changed.")
        }
        // Only now: a form may have a field for every two bytes of the body.
        let visit = ParsedRequest(request, at: configuration.now())
        guard ["GET", "HEAD", "POST"].contains(request.method) else {
            return PanelResponse(405, [("Allow", "GET, HEAD, POST")])
        }
        switch (request.method, visit.path) {
        case ("POST", "/enter"): return enter(visit)
        case (_, "/enter"): return enterPage(visit)
        case (_, "/style.css"): return .asset(PanelAssets.style, "text/css; charset=utf-8")
        case (_, "/script.js"): return .asset(PanelAssets.script, "text/javascript; charset=utf-8")
        default: break
        }
        guard let sessions else { return await inside(visit, "") }
        guard let session = sessions.session(of: request, at: visit.now) else {
            return visit.path == "/icon" ? .icon : strangerPage(visit)
        }
        let token = sessions.formToken(for: session)
        if request.method == "POST", !(visit.form["form"] ?? "").isSameSecret(as: token) {
            return .sentence(403, "The form is of another session. Load the page again, and repeat the change.")
        }
        var inner = visit
        inner.sessionLifetime = sessions.remainingLifetime(of: session, at: visit.now)
        var response = await inside(inner, token)
        if sessions.isAging(session, at: visit.now) {
            response.headers.append(sessions.cookie(for: sessions.renewed(session, at: visit.now), at: visit.now))
        }
        return response
    }

    /// Returns the page behind a link. It changes nothing, so programs may load it.
    private func enterPage(_ visit: ParsedRequest) -> PanelResponse {
        let link = visit.query["link"] ?? ""
        guard sessions != nil else { return .redirect(to: "\(configuration.base)/") }
        guard links.isValid(link, at: visit.now) else { return strangerPage(visit) }
        return SignInPage(context: strangers(visit)).response(link: link, to: visit.ownPath(visit.query["to"]))
    }

    private func enter(_ visit: ParsedRequest) -> PanelResponse {
        guard let sessions else { return .redirect(to: "\(configuration.base)/") }
        guard links.spend(visit.form["link"] ?? "", at: visit.now) else { return strangerPage(visit) }
        var response = PanelResponse.redirect(
            to: visit.ownPath(visit.form["to"]) ?? strangers(visit).panePath(""))
        response.headers.append(sessions.cookie(for: sessions.begin(at: visit.now), at: visit.now))
        return response
    }

    private func strangerPage(_ visit: ParsedRequest) -> PanelResponse {
        if visit.path.hasSuffix("/events") { return .sentence(401, "The session has ended.") }
        return SignInPage(context: strangers(visit)).refusal
    }

    private func strangers(_ visit: ParsedRequest) -> PageContext {
        visit.context(
            PanelContents(title: configuration.title, panes: []), base: configuration.base, formToken: "",
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
