import Settle
import SettleInterchange

/// The OpenAPI description of an API, made from its routes and from the settings that it serves.
struct OpenAPIDocument: Sendable {
    let routes: [Route]
    let settings: [SettingsSchema.Entry]
    /// The keys of the settings as listings spell them: as they are stored.
    let keys: [String]
    let configuration: SettingsAPI.Configuration

    var json: SettingValue.Entries {
        [
            "openapi": .string("3.1.0"),
            "info": .dictionary([
                "title": .string(configuration.title), "version": .string(configuration.version),
            ]),
            "paths": .dictionary(paths),
            "components": .dictionary([
                "schemas": .dictionary(schemas), "securitySchemes": .dictionary(securitySchemes),
            ]),
        ]
    }

    /// Returns another document with the paths and components of this one. Of two with one name, that of this one
    /// counts.
    func merged(into document: SettingValue) -> SettingValue {
        guard case .dictionary(var members) = document else { return document }
        members["paths"] = Self.adding(paths, to: members["paths"])
        var components: SettingValue.Entries = [:]
        if case .dictionary(let existing)? = members["components"] { components = existing }
        components["schemas"] = Self.adding(schemas, to: components["schemas"])
        components["securitySchemes"] = Self.adding(securitySchemes, to: components["securitySchemes"])
        members["components"] = .dictionary(components)
        return .dictionary(members)
    }

    private static func adding(_ entries: SettingValue.Entries, to value: SettingValue?) -> SettingValue {
        guard case .dictionary(let existing)? = value else { return .dictionary(entries) }
        return .dictionary(existing.merging(entries) { _, new in new })
    }

    private var paths: SettingValue.Entries {
        var paths: SettingValue.Entries = [:]
        for (path, routes) in Dictionary(grouping: routes, by: \.operation.path) {
            var item: SettingValue.Entries = [:]
            for route in routes {
                item[route.operation.method.lowercased()] = route.operation.json(
                    with: commonAnswers(of: route), isAuthorized: needsToken(route))
            }
            paths[configuration.base + path] = .dictionary(item)
        }
        return paths
    }

    /// The answers that a route has besides its own.
    private func commonAnswers(of route: Route) -> [Operation.Answer] {
        var answers = Self.answersOfEveryRoute
        if needsToken(route) {
            answers += Self.answersOfAccess
        } else if route.access == .authorized, route.operation.method != "GET" {
            answers.append(.problem(403, "The request comes from a page of another site."))
        }
        if route.needsSettings { answers.append(.problem(503, "The program is shutting down.")) }
        return answers
    }

    private func needsToken(_ route: Route) -> Bool {
        guard case .tokens = configuration.access else { return false }
        return route.access == .authorized
    }

    private static let answersOfEveryRoute: [Operation.Answer] = [
        .problem(400, "The request is not valid: its query, a field of its header, or its body."),
        .problem(413, "The body is too large, or has more than the storage can store at once."),
        .problem(414, "The path and the query are too long."),
        .problem(421, "The server is not reached by this name."), .problem(431, "The header is too large."),
        .problem(500, "The request could not be answered."),
    ]

    private static let answersOfAccess: [Operation.Answer] = [
        .problem(401, "The token is missing or wrong."),
        .problem(403, "The token does not permit this, or no token is set."),
    ]

    private var securitySchemes: SettingValue.Entries {
        guard case .tokens = configuration.access else { return [:] }
        return [
            Schema.componentName("token"): .dictionary(["type": .string("http"), "scheme": .string("bearer")])
        ]
    }

    private var schemas: SettingValue.Entries {
        let values = Dictionary(settings.map { ($0.key, Schema($0.jsonSchema)) }) { first, _ in first }
        let schemas: [String: Schema] = [
            "Problem": Self.problem,
            "Setting": SettingEntry.schema(of: keys),
            "Values": .object([:], optional: values),
            "Token": Self.token,
            "File": FileState.schema,
            "Mutation": Mutation.schema,
            "Preview": Preview.schema,
            "Explanation": Explanation.schema,
            "HistoryEntry": HistoryEntry.schema,
            "ChangeEvent": Change.eventSchema,
            "CoveredEvent": StreamNarrator.coveredSchema,
            "SnapshotEvent": StreamNarrator.snapshotSchema,
        ]
        var entries: SettingValue.Entries = [:]
        for (name, schema) in schemas { entries[Schema.componentName(name)] = schema.json }
        return entries
    }

    private static let token = Schema([
        "type": .string("string"),
        "description": .string("A position in the history of the program's file, which continues across restarts."),
    ])

    /// RFC 9457, with more members by type.
    private static let problem = Schema([
        "type": .string("object"),
        "required": .array(["type", "title", "status", "detail", "requestId"].map { .string($0) }),
        "properties": .dictionary([
            "type": Schema.oneOf(ProblemKind.allCases.map(\.type)).json, "title": Schema.string.json,
            "status": Schema.integer.json, "detail": Schema.string.json, "requestId": Schema.string.json,
            "key": Schema.string.json, "rule": Schema.string.json, "token": Schema.component("Token").json,
            "author": Schema.string.json,
        ]),
    ])
}
