import SettleHTTP

/// A response of a panel, with what is reported of it.
struct PanelResponse: Sendable {
    /// The status code, such as 200.
    var status: Int
    /// The header fields, without the length of the body.
    var headers: [(name: String, value: String)]
    /// The body.
    var body: WebResponse.Body
    /// The event to report for the request; `nil` for none but a refusal, which the status shows.
    var event: PanelAuditEvent.Kind?
    /// The name of the user who has sent the request.
    var user: String?

    init(_ status: Int, _ headers: [(name: String, value: String)] = [], _ body: WebResponse.Body = .bytes([])) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// Returns a page or a part of one.
    static func html(_ html: HTML, status: Int = 200) -> PanelResponse {
        PanelResponse(status, [("Content-Type", "text/html; charset=utf-8")], .bytes(html.bytes))
    }

    /// Returns the same response with the name of the user who has sent the request.
    func by(_ user: String?) -> PanelResponse {
        var response = self
        response.user = user
        return response
    }

    /// Redirects to another page after a form.
    static func redirect(to path: String) -> PanelResponse {
        PanelResponse(303, [("Location", path)])
    }
}

extension PanelResponse {
    /// Adds the fields that every response of a panel has: nothing is loaded from elsewhere, framed, sniffed or cached.
    func secured() -> WebResponse {
        var response = WebResponse(status, headers, body)
        response.headers += [
            ("Content-Security-Policy", Self.contentPolicy), ("Referrer-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
            response.headers.append(("Cache-Control", "no-store"))
        }
        return response
    }

    private static let contentPolicy = [
        "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'", "connect-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
}
