import Settle
import SettleHTTP

/// Refuses requests made by pages of other sites, or directed here under another host name.
///
/// A page of another site can make a browser send a request here, and a host name of another site may be given this
/// machine's address (DNS rebinding). So the name in `Host` must be on a list, and a request that changes something
/// must come from a page of the same name.
struct OriginCheck: Sendable {
    /// Host names without a port; IP version 6 addresses have brackets.
    let hosts: [String]

    /// Returns the reason that a request is refused; `nil` if it is not.
    func refusal(of request: WebRequest) -> PanelResponse? {
        guard let host = request.value(of: "host"), isOwn(host) else {
            return .sentence(
                421, "This panel can't be reached by that name. Use one of: \(hosts.joined(separator: ", ")).")
        }
        // A page of another site may not even load anything: not with a frame, an image or a script.
        if let site = request.value(of: "sec-fetch-site"), site == "cross-site" || site == "same-site" {
            let isNavigation = request.method == "GET" && request.value(of: "sec-fetch-mode") == "navigate"
            guard isNavigation, request.value(of: "sec-fetch-dest") == "document" else { return .foreignPage }
        }
        guard request.method != "GET", request.method != "HEAD" else { return nil }
        guard let origin = request.value(of: "origin") else {
            // Browsers that leave out one of the fields send the other.
            return request.value(of: "sec-fetch-site") == "same-origin" ? nil : .foreignPage
        }
        return ["http://\(host)", "https://\(host)"].contains { $0.lowercased().hasSameBytes(as: origin.lowercased()) }
            ? nil : .foreignPage
    }

    private func isOwn(_ host: String) -> Bool {
        var name = host[...]
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            guard let port = UInt16(host[host.index(after: colon)...]), port > 0 else { return false }
            name = host[..<colon]
        }
        return hosts.contains { $0.lowercased().hasSameBytes(as: name.lowercased()) }
    }
}

extension PanelResponse {
    /// Returns a plain sentence, for cases where no page can be shown.
    static func sentence(_ status: Int, _ text: String) -> PanelResponse {
        PanelResponse(
            status, [("Content-Type", "text/plain; charset=utf-8"), ("Content-Language", "en")],
            .bytes(Array("\(text)\n".utf8)))
    }

    static var foreignPage: PanelResponse { .sentence(403, "This request comes from a page of another site.") }
}
