import Settle

/// The routes that read settings.
struct ReadRoutes: Sendable {
    let parts: APIParts

    var routes: [Route] { [list, get] }

    private var list: Route {
        let operation = Operation(
            method: "GET", path: "/settings", name: "getSettings", summary: "All settings",
            parameters: [Self.ifNoneMatch],
            answers: [
                .ok(
                    "The settings, the token that they are not older than, the state of the file, and the variables "
                        + "with the program's prefix that belong to no setting.", Listing.schema),
                Self.notModified,
            ])
        return Route(operation: operation) { call in try response(to: call) }
    }

    /// Returns all settings.
    ///
    /// - Parameter hasToken: Whether the token is among the members. It is not where contents without one are compared.
    func response(to call: APICall, hasToken: Bool = true) throws -> WebResponse {
        let listing = try Listing(of: parts.store, for: call.client)
        var json = listing.json
        if !hasToken { json["token"] = nil }
        json["file"] = FileState(of: parts.store).json
        // The name of a variable may reveal a key that is out of the client's reach.
        let variables = call.client.reachesEverything ? parts.store.domains.unknownVariables : []
        if !variables.isEmpty { json["unknownVariables"] = .array(variables.map(\.json)) }
        return try Representation(json, listing.token).response(to: call)
    }

    private var get: Route {
        let operation = Operation(
            method: "GET", path: "/settings/{key}", name: "getSetting", summary: "A setting, or a group as an object",
            parameters: [
                Self.key,
                .query("explain", "With true, the value of each domain is added to a setting.", .boolean),
                Self.ifNoneMatch,
            ],
            answers: [
                .ok(
                    "The setting; of a group, the values of its settings in an object, without secrets.",
                    .anyOf([.component("Setting"), .anyObject])),
                Self.notModified, Self.unknown,
            ])
        return Route(operation: operation) { call in
            let explains = try call.flag("explain")
            return try response(to: call, of: call.capture("key"), explaining: explains)
        }
    }

    /// Returns a setting, or a group as an object.
    func response(
        to call: APICall, of key: String, explaining: Bool = false, hasToken: Bool = true
    ) throws -> WebResponse {
        let version = explaining || !hasToken ? nil : RepresentationCache.Version(of: parts.store)
        // Only a representation under the setting's own key is remembered.
        if let version, let known = parts.representations.representation(of: key, at: version) {
            guard call.client.reaches(key, in: parts.store) else { throw Self.outOfReach(key) }
            return try known.response(to: call)
        }
        let listing = try Listing(of: parts.store, key: key)
        guard var json = listing.entry else { return try group(key, call) }
        guard call.client.reaches(key, in: parts.store) else { throw Self.outOfReach(key) }
        if !hasToken { json["token"] = nil }
        if explaining { json["explanation"] = parts.store.keys.explanation(forKey: key).json(for: call.client) }
        let representation = Representation(json, listing.token)
        if let version, version.token == listing.token, listing.isLasting(as: key) {
            parts.representations.remember(representation, of: key, at: version)
        }
        return try representation.response(to: call)
    }

    private func group(_ key: String, _ call: APICall) throws -> WebResponse {
        let token = parts.store.history.token
        let settings = parts.store.settings
        let reachable = call.client.reachable(settings, by: \.key, in: parts.store)
        guard let group = GroupContents(key, in: reachable) else {
            // Not the settings of the group: the client is not to know their names.
            throw GroupContents(key, in: settings) == nil ? Problem.unknownSetting(key) : Self.outOfReach(key)
        }
        return try Representation(group.members, token).response(to: call)
    }

    static func outOfReach(_ key: String) -> Problem {
        var problem = Problem(.notPermitted, "The token is not for “\(key)”.")
        problem.members["key"] = .string(key)
        return problem
    }

    static let key = Operation.Parameter.path("key", "The key of a setting or of a group.")

    static let unknown = Operation.Answer.problem(404, "There is no such setting or group.")

    private static let ifNoneMatch = Operation.Parameter.header(
        "If-None-Match", "The ETag of what the client has read: if that is current, the answer is 304.")

    private static let notModified = Operation.Answer.empty(304, "The client has it already.")
}
