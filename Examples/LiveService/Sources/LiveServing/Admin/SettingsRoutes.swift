import HTTPTypes
import Hummingbird
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The admin endpoints that list and change settings.
struct SettingsRoutes: Sendable {
    let store: SettingsStore
    let counts: ConflictCounts

    /// The maximum size of a body: far more than any setting here takes.
    private static let bodyLimit = 64 * 1_024

    var endpoints: [Endpoint] { [list, get, patchAll, patch, delete] }

    private var list: Endpoint {
        let operation = Operation(
            method: .get, path: "/settings", summary: "All settings", access: .admin,
            answers: [
                .ok("The settings, and the place in the file's history that they belong to.", SettingInfo.listingSchema)
            ])
        return Endpoint(operation: operation) { _, _ in try answer(keys: nil) }
    }

    private var get: Endpoint {
        let operation = Operation(
            method: .get, path: "/settings/{key}", summary: "A setting", access: .admin, parameters: [Self.key],
            answers: [.ok("The setting.", .component("Setting")), Self.unknown])
        return Endpoint(operation: operation) { _, context in try answer(key: context.parameter("key")) }
    }

    private var patch: Endpoint {
        let operation = Operation(
            method: .patch, path: "/settings/{key}", summary: "Sets a setting", access: .admin,
            parameters: [Self.key] + ChangeRequest.parameters, body: .any,
            answers: [
                .ok(
                    "The setting as it is now. If `isCovered`, the value is saved, but not in force.",
                    .anyOf([.component("Setting"), Preview.schema])), Self.unknown,
            ] + Self.refusals)
        return Endpoint(operation: operation) { request, context in
            let key = try knownKey(context)
            let value = try await Self.value(of: request, context)
            return try await perform(request, context, on: [key], since: [key]) {
                try store.keys.setValue(value, forKey: key)
            } answer: {
                try answer(key: key)
            }
        }
    }

    private var patchAll: Endpoint {
        let operation = Operation(
            method: .patch, path: "/settings", summary: "Sets several settings at once, all or none", access: .admin,
            parameters: ChangeRequest.parameters, body: .component("Settings"),
            answers: [.ok("These settings.", .anyOf([SettingInfo.listingSchema, Preview.schema])), Self.unknown]
                + Self.refusals)
        return Endpoint(operation: operation) { request, context in
            let values = try await knownValues(of: request, context)
            let keys = values.map(\.key)
            return try await perform(request, context, on: keys, since: nil) {
                for (key, value) in values { try store.keys.setValue(value, forKey: key) }
            } answer: {
                try answer(keys: Set(keys))
            }
        }
    }

    private var delete: Endpoint {
        let operation = Operation(
            method: .delete, path: "/settings/{key}", summary: "Resets a setting to its default", access: .admin,
            parameters: [Self.key] + ChangeRequest.parameters,
            answers: [.ok("The setting as it is now.", .anyOf([.component("Setting"), Preview.schema])), Self.unknown]
                + Self.refusals)
        return Endpoint(operation: operation) { request, context in
            let key = try knownKey(context)
            return try await perform(request, context, on: [key], since: [key]) {
                try store.keys.removeValue(forKey: key)
            } answer: {
                try answer(key: key)
            }
        }
    }

    private static let key = Operation.Parameter(
        name: "key", place: .path, description: "The setting's key.", schema: .component("SettingKey"))

    private static let unknown = Operation.Answer.error(.notFound, "There is no such setting.")

    private static let refusals: [Operation.Answer] = [
        .error(.conflict, "A domain above the service's file locks the setting. The sentence names the place."),
        Operation.Answer(
            status: .preconditionFailed, description: "What `If-Match` names has changed since. Nothing is written.",
            schema: .component("Conflict")),
        .error(.contentTooLarge, "The body exceeds \(bodyLimit / 1_024) KiB."),
        .error(.unprocessableContent, "The value has another type, or breaks the setting's rule."),
        .error(.serviceUnavailable, "The change could not be saved."),
    ]
}

extension SettingsRoutes {
    /// The settings in the body, by their keys.
    private func knownValues(
        of request: Request, _ context: ServiceContext
    ) async throws -> [(key: String, value: SettingValue)] {
        guard case .dictionary(let values) = try await Self.value(of: request, context) else {
            throw ServiceError(.badRequest, "The body must be a JSON object with a value for each key.")
        }
        for key in values.keys.sorted() where store.keys.setting(forKey: key) == nil { throw Self.unknown(key) }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The listing, or a part of it.
    private func answer(keys: Set<String>?) throws -> Response {
        let listing = try Listing(of: store, keys: keys)
        return Response(json: listing.json, headers: .tagged(listing.token))
    }

    /// A setting's entry in the listing, with its place.
    private func answer(key: String) throws -> Response {
        let listing = try Listing(of: store, keys: [key])
        guard let entry = listing.entry else { throw Self.unknown(key) }
        return Response(json: entry, headers: .tagged(listing.token))
    }

    private func knownKey(_ context: ServiceContext) throws -> String {
        let key = try context.parameter("key")
        guard store.keys.setting(forKey: key) != nil else { throw Self.unknown(key) }
        return key
    }

    private static func value(of request: Request, _ context: ServiceContext) async throws -> SettingValue {
        guard request.headers[.contentLength].flatMap({ Int($0) }) ?? 0 <= bodyLimit else {
            throw HTTPError(.contentTooLarge)
        }
        try await context.inviteBody(of: request)
        let body = try await request.body.collect(upTo: bodyLimit)
        do {
            return try SettingValue(json: Data(body.readableBytesView))
        } catch {
            throw ServiceError(.badRequest, "The body must be one JSON value. \(error)")
        }
    }

    private static func unknown(_ key: String) -> ServiceError {
        ServiceError(.notFound, "There is no setting “\(key)”. GET /settings lists all of them.")
    }
}
