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
    /// The routes of one path.
    struct Path: Sendable {
        /// The parts between slashes.
        fileprivate let template: [String]
        /// The names of the parameters, with their positions among the parts.
        fileprivate let parameters: [(index: Int, name: String)]
        fileprivate(set) var routes: [Route]

        fileprivate init(_ template: [String], _ route: Route) {
            (self.template, routes) = (template, [route])
            parameters = template.enumerated().filter { $0.element.isParameter }.map { index, part in
                (index: index, name: String(part.dropFirst().dropLast()))
            }
        }
    }

    let routes: [Route]
    /// Those without parameters are first: a path that a route has itself is not another's parameter, as in OpenAPI.
    private let paths: [Path]

    init(routes: [Route]) {
        self.routes = routes
        var paths: [Path] = []
        for route in routes {
            let template = route.operation.path.split(separator: "/").map(String.init)
            if let index = paths.firstIndex(where: { $0.template == template }) {
                paths[index].routes.append(route)
            } else {
                paths.append(Path(template, route))
            }
        }
        self.paths = paths.filter { $0.parameters.isEmpty } + paths.filter { !$0.parameters.isEmpty }
    }

    /// Returns the path that a target has; `nil` if there is none.
    ///
    /// - Parameter segments: The decoded parts of the target's path.
    func path(of segments: [String]) -> Path? {
        paths.first { path in
            path.template.count == segments.count
                && zip(path.template, segments).allSatisfy { part, segment in
                    part.isParameter ? !segment.isEmpty : part.hasSameBytes(as: segment)
                }
        }
    }
}

extension RouteTable.Path {
    /// Returns the parameters in a path that is this one.
    func captures(in segments: [String]) -> [(name: String, value: String)] {
        parameters.map { (name: $0.name, value: segments[$0.index]) }
    }
}

extension String {
    /// Whether it is a parameter in the path of a route.
    fileprivate var isParameter: Bool { utf8.first == UInt8(ascii: "{") }
}
