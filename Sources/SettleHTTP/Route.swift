import Settle

/// An entry of the table of routes, from which routing, the checks of methods and queries, and the OpenAPI document are
/// made.
struct Route: Sendable {
    let operation: Operation
    var access = SettingsAPI.Configuration.RouteAccess.authorized
    /// Whether it changes settings, so that a client must be allowed to.
    var isWrite = false
    let handle: @Sendable (APICall) async throws -> WebResponse

    /// Returns the parameters in a path, by name; `nil` if the path is another route's.
    fileprivate func captures(_ segments: [String]) -> [String: String]? {
        let template = operation.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard template.count == segments.count else { return nil }
        var captures: [String: String] = [:]
        for (part, segment) in zip(template, segments) {
            if part.hasPrefix("{") {
                guard !segment.isEmpty else { return nil }
                captures[String(part.dropFirst().dropLast())] = segment
            } else if !String(part).hasSameBytes(as: segment) {
                return nil
            }
        }
        return captures
    }
}

/// The routes of an API.
struct RouteTable: Sendable {
    let routes: [Route]

    /// Returns the routes of a path, with the parameters in it. Those with fewer parameters come first: a setting that
    /// is called like a route is reached by the methods that the route does not have.
    func matches(_ target: RequestTarget) -> [(route: Route, captures: [String: String])] {
        routes.compactMap { route in route.captures(target.segments).map { (route: route, captures: $0) } }
            .enumerated()
            .sorted { ($0.element.captures.count, $0.offset) < ($1.element.captures.count, $1.offset) }
            .map(\.element)
    }
}

/// The path and the query of a request.
struct RequestTarget: Sendable {
    /// The path as it was sent.
    let path: String
    /// The decoded parts between slashes; empty for a path that does not begin with one.
    let segments: [String]
    let query: FormFields

    init(_ target: String) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        query = parts.count == 2 ? FormFields(parts[1]) : FormFields()
        let pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isAbsolute = pieces.count > 1 && pieces[0].isEmpty
        segments = isAbsolute ? pieces.dropFirst().map { PercentEncoding.decoded($0) } : []
    }
}
