/// The path and the query of a request.
struct RequestTarget: Sendable {
    /// The path as it was sent.
    let path: String
    /// The decoded parts between slashes; empty for a path that does not begin with one.
    let segments: [String]
    let query: FormFields

    /// Returns the decoded parts of a path.
    static func segments(of path: Substring) -> [String] {
        let pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isAbsolute = pieces.count > 1 && pieces[0].isEmpty
        return isAbsolute ? pieces.dropFirst().map { PercentEncoding.decoded($0) } : []
    }

    init(_ target: String) {
        if let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) {
            path = String(target[..<mark])
            query = FormFields(target.utf8[mark...].dropFirst())
        } else {
            (path, query) = (target, FormFields())
        }
        segments = Self.segments(of: path[...])
    }
}
