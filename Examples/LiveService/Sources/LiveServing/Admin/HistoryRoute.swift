import HTTPTypes
import Hummingbird
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `GET /settings/history`: who has changed what in the file, newest first.
struct HistoryRoute: Sendable {
    let store: SettingsStore

    private static let limits = 1...1_000
    private static let usualLimit = 100

    var endpoint: Endpoint {
        let operation = Operation(
            method: .get, path: "/settings/history", summary: "Who has changed what, newest first", access: .admin,
            parameters: Self.parameters,
            answers: [
                .ok("The transactions of the file's history.", HistoryEntry.listSchema),
                Operation.Answer(
                    status: .notModified, description: "Nothing has come since `If-None-Match`.", schema: nil),
                .error(.notFound, "The service keeps no history."),
            ])
        return Endpoint(operation: operation) { request, _ in try await answer(request) }
    }

    private static let parameters = [
        Operation.Parameter(
            name: "key", place: .query, description: "Only what has happened to this key, or to keys in it.",
            schema: .string),
        Operation.Parameter(
            name: "since", place: .query, description: "Only what is not older, such as 2026-11-22T00:31:26Z.",
            schema: .string),
        Operation.Parameter(
            name: "limit", place: .query, description: "How many transactions at most; \(usualLimit) by default.",
            schema: .integer(in: limits)),
        Operation.Parameter(
            name: "If-None-Match", place: .header, description: "The ETag of what the client has read.",
            schema: .string),
    ]

    private func answer(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        let (limit, since) = (try Self.limit(query["limit"]), try Self.date(query["since"]))
        let key = try Self.key(query["key"])
        // Before the entries, so that the tag is not newer than they are.
        let token = store.history.token
        if try isKnown(token, request.headers[.ifNoneMatch]) {
            return Response(status: .notModified, headers: .tagged(token))
        }
        var entries: [SettingValue] = []
        do {
            for try await entry in store.history.entries(of: key, since: since, limit: limit) {
                entries.append(.dictionary(entry.json))
            }
        } catch let error as SettingsError {
            throw ServiceError(settings: error)
        }
        return Response(json: ["entries": .array(entries)], headers: .tagged(token))
    }

    /// Whether the client has everything up to a place.
    private func isKnown(_ token: ChangeToken?, _ field: String?) throws -> Bool {
        guard let field else { return false }
        switch EntityTags(field) {
        case nil:
            throw ServiceError(
                .badRequest, "If-None-Match is * or a list of entity tags, which are in quotation marks.")
        case .any: return token != nil
        case .tags(let tags): return tags.contains { $0.text == token?.description }
        }
    }

    private static func key(_ text: Substring?) throws -> SettingKey? {
        guard let text else { return nil }
        guard let key = SettingKey(String(text)) else {
            throw ServiceError(.badRequest, "A key, and each of its parts between dots, must not be empty.")
        }
        return key
    }

    private static func limit(_ text: Substring?) throws -> Int {
        guard let text else { return usualLimit }
        guard let limit = Int(text), limits.contains(limit) else {
            throw ServiceError(.badRequest, "limit is a number from \(limits.lowerBound) to \(limits.upperBound).")
        }
        return limit
    }

    private static func date(_ text: Substring?) throws -> Date? {
        guard let text else { return nil }
        guard let date = Date(iso8601: String(text)) else {
            throw ServiceError(.badRequest, "since is a time in UTC, such as 2026-11-22T00:31:26Z.")
        }
        return date
    }
}
