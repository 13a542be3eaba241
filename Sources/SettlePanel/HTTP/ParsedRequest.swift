#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request, taken apart.
struct ParsedRequest: Sendable {
    let request: PanelRequest
    /// Decoded, and below the panel's own path.
    var path: String
    let query: FormFields
    /// Nothing unless something is sent.
    let form: FormFields
    let now: Date
    /// How long the browser's session lasts from now on; `nil` without an end.
    var sessionLifetime: Duration?

    init(_ request: PanelRequest, at now: Date) {
        (self.request, self.now) = (request, now)
        let parts = request.target.utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map { PercentEncoding.decoded($0) } ?? ""
        query = parts.count == 2 ? FormFields(parts[1]) : FormFields()
        form = request.method == "POST" ? FormFields(request.body) : FormFields()
    }

    /// In the order of preference.
    var languages: [String] { AcceptLanguage.languages(request.values(of: "accept-language")) }

    /// Whether a script of the page asks for the changed form alone.
    var wantsFragment: Bool { request.value(of: "x-settle-fragment") != nil }

    /// The page that has led here, if it is of this origin.
    var returnPlace: String? { ownPath(form["return"] ?? query["return"]) }

    /// A path of this origin, which no browser takes for another host; `nil` for anything else.
    func ownPath(_ path: String?) -> String? {
        guard let path, path.utf8.count <= 2048 else { return nil }
        let bytes = Array(path.utf8)
        // Browsers take a backslash for a slash, and leave out tabs and line breaks.
        guard bytes.first == UInt8(ascii: "/"), bytes.dropFirst().first != UInt8(ascii: "/"),
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return path
    }
}
