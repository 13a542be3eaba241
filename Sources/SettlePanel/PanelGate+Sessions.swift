import SettleHTTP

/// How sessions begin and end.
extension PanelGate {
    /// Returns the page behind a link. It changes nothing, so programs may load it.
    func enterPage(_ visit: ParsedRequest) async -> PanelResponse {
        guard let sessions, let links else { return .redirect(to: "\(configuration.base)/") }
        let text = visit.query["link"] ?? ""
        guard let link = links.link(text, at: visit.now) else { return strangerPage(visit) }
        do {
            guard try await sessions.list.spentLinks[link.id] == nil else { return strangerPage(visit) }
        } catch {
            return .sentence(503, "\(error)")
        }
        return SignInPage(context: context(visit)).response(
            link: text, for: link.name, to: visit.ownPath(visit.query["to"]))
    }

    func enter(_ visit: ParsedRequest) async -> PanelResponse {
        guard let sessions, let links else { return .redirect(to: "\(configuration.base)/") }
        guard let link = links.link(visit.form["link"] ?? "", at: visit.now) else { return strangerPage(visit) }
        do {
            let browser = visit.request.value(of: "user-agent")
            guard
                let session = try await sessions.begin(
                    with: link, browser: browser, replacing: visit.request, at: visit.now)
            else { return strangerPage(visit) }
            var response = PanelResponse.redirect(
                to: visit.ownPath(visit.form["to"]) ?? context(visit).panePath(""))
            response.headers.append(sessions.cookie(for: session, at: visit.now))
            response.event = .entered
            return response.by(link.name)
        } catch {
            return .sentence(503, "The session can't be stored, so the link was not used. \(error)")
        }
    }

    /// Ends a session, which may be that of the request itself.
    func end(
        _ id: String, _ visit: ParsedRequest, _ own: AdmittedSession, _ sessions: PanelSessions
    ) async -> PanelResponse {
        do {
            let ended = try await sessions.end(id)
            guard id.isSameSecret(as: own.id) else {
                var response = PanelResponse.redirect(to: "\(configuration.base)/sessions")
                response.event = ended.map { PanelAuditEvent.Kind.endedSession(of: $0.name) }
                return response
            }
            var response = SignInPage(context: context(visit)).farewell
            response.headers.append(sessions.removedCookie)
            response.event = .left
            return response
        } catch {
            var response = PanelResponse.sentence(503, "The session can't be ended. \(error)")
            // At least this browser is out.
            if id.isSameSecret(as: own.id) { response.headers.append(sessions.removedCookie) }
            return response
        }
    }

    func sessionsPage(
        _ visit: ParsedRequest, _ token: String, _ own: AdmittedSession, _ sessions: PanelSessions
    ) async -> PanelResponse {
        do {
            let now = visit.now.wholeSeconds
            let open = try await sessions.list.sessions.filter {
                min($0.value.end, $0.value.lastEnd(limit: sessions.limit)) > now
            }
            return SessionsPage(context: context(visit, formToken: token), own: own.id, sessions: open).response
        } catch {
            return .sentence(503, "\(error)")
        }
    }
}
