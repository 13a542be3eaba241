import SettleHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A parsed request.
struct ParsedRequest: Sendable {
    let request: WebRequest
    /// The decoded path below the panel's own path.
    var path: String
    let query: FormFields
    /// The form; empty unless one is sent.
    let form: FormFields
    let now: Date
    /// The browser's session; `nil` if everyone is admitted.
    var session: AdmittedSession?
    /// The name of the user; `nil` if it is unknown.
    var user: String?

    init(_ request: WebRequest, at now: Date) {
        (self.request, self.now) = (request, now)
        let parts = request.target.utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map { PercentEncoding.decoded($0) } ?? ""
        query = parts.count == 2 ? FormFields(parts[1]) : FormFields()
        form = request.method == "POST" ? FormFields(request.body) : FormFields()
    }

    /// The languages in order of preference.
    var languages: [String] { AcceptLanguage.languages(request.values(of: "accept-language")) }

    /// Whether a script of the page requests only the changed form.
    var wantsFragment: Bool { request.value(of: "x-settle-fragment") != nil }

    /// The page that led here, if it is of this origin.
    var returnPlace: String? { ownPath(form["return"] ?? query["return"]) }

    /// Returns a path of this origin that no browser takes for another host; `nil` for anything else.
    func ownPath(_ path: String?) -> String? {
        guard let path, path.utf8.count <= 2048 else { return nil }
        let bytes = Array(path.utf8)
        // Browsers treat a backslash as a slash, and remove tabs and line breaks.
        guard bytes.first == UInt8(ascii: "/"), bytes.dropFirst().first != UInt8(ascii: "/"),
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return path
    }
}
