import Settle

/// An entry of the table of routes, from which routing, the checks of methods and queries, and the OpenAPI document are
/// made.
struct Route: Sendable {
    let operation: Operation
    var access = SettingsAPI.Configuration.RouteAccess.authorized
    /// Whether it changes settings, so that a client must be allowed to.
    var isWrite = false
    /// Whether the groups must be declared before.
    var needsSettings = true
    let handle: @Sendable (APICall) async throws -> WebResponse
}

/// The routes of an API.
struct RouteTable: Sendable {
    let routes: [Route]
    /// The parts of the routes' paths between slashes.
    private let templates: [[String]]

    init(routes: [Route]) {
        self.routes = routes
        templates = routes.map { $0.operation.path.split(separator: "/").map(String.init) }
    }

    /// Returns the routes of a path, with the parameters in it. If a route has the path itself, those with parameters are
    /// left out, as in OpenAPI.
    func matches(_ target: RequestTarget) -> [(route: Route, captures: [String: String])] {
        var matches: [(route: Route, captures: [String: String])] = []
        for (route, template) in zip(routes, templates) {
            guard let captures = Self.captures(in: target.segments, template) else { continue }
            matches.append((route, captures))
        }
        let fixed = matches.filter { $0.captures.isEmpty }
        return fixed.isEmpty ? matches : fixed
    }

    /// Returns the parameters in a path, by name; `nil` if the path is another route's.
    private static func captures(in segments: [String], _ template: [String]) -> [String: String]? {
        guard template.count == segments.count else { return nil }
        var captures: [String: String] = [:]
        for (part, segment) in zip(template, segments) {
            if part.hasPrefix("{") {
                guard !segment.isEmpty else { return nil }
                captures[String(part.dropFirst().dropLast())] = segment
            } else if !part.hasSameBytes(as: segment) {
                return nil
            }
        }
        return captures
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
