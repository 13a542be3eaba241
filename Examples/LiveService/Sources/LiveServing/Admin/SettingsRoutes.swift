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

    /// The maximum size of a body: far more than any setting here takes.
    private static let bodyLimit = 64 * 1_024

    func add(to router: some RouterMethods<some RequestContext>) {
        router.get("settings") { _, _ in try Response(json: Listing(of: store).json) }
        router.get("settings/:key") { _, context in Response(json: try entry(forKey: Self.key(context))) }
        router.patch("settings") { request, context in try await patchAll(request, context) }
        router.patch("settings/:key") { request, context in try await patch(request, context) }
        router.delete("settings/:key") { request, context in try await reset(request, context) }
    }

    /// Sets a setting to the JSON value in the body.
    private func patch(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let key = try knownKey(context)
        let value = try await Self.value(of: request)
        try await Self.saving {
            try await store.commit(by: Self.author(request)) { try store.setValue(value, forKey: key) }
        }
        return try Response(json: entry(forKey: key))
    }

    /// Sets several settings at once, all or none. The body is an object with a value for each key.
    private func patchAll(_ request: Request, _ context: some RequestContext) async throws -> Response {
        guard case .dictionary(let values) = try await Self.value(of: request) else {
            throw ServiceError(.badRequest, "The body must be a JSON object with a value for each key.")
        }
        for key in values.keys.sorted() where store.setting(forKey: key) == nil { throw Self.unknown(key) }
        try await Self.saving {
            try await store.commit(by: Self.author(request)) {
                for (key, value) in values.sorted(by: { $0.key < $1.key }) { try store.setValue(value, forKey: key) }
            }
        }
        return try Response(json: Listing(of: store, keys: Set(values.keys)).json)
    }

    /// Resets a setting to its default.
    private func reset(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let key = try knownKey(context)
        try await Self.saving {
            try await store.commit(by: Self.author(request)) { try store.removeValue(forKey: key) }
        }
        return try Response(json: entry(forKey: key))
    }

    /// Commits writes, and turns errors into responses.
    private static func saving(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as SettingsError {
            throw ServiceError(settings: error)
        }
    }

    /// A setting's entry in the listing, with its revision.
    private func entry(forKey key: String) throws -> SettingValue.Entries {
        let listing = try Listing(of: store, keys: [key])
        guard var entry = listing.settings.first?.json else { throw Self.unknown(key) }
        entry["revision"] = .integer(Int64(listing.revision))
        return entry
    }

    private func knownKey(_ context: some RequestContext) throws -> String {
        let key = try Self.key(context)
        guard store.setting(forKey: key) != nil else { throw Self.unknown(key) }
        return key
    }

    private static func key(_ context: some RequestContext) throws -> String {
        try context.parameters.require("key")
    }

    private static func value(of request: Request) async throws -> SettingValue {
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

    /// The author of a change: the name in the request, without characters that would break a line of the log.
    private static func author(_ request: Request) -> String {
        let name = request.headers[.changedBy]?.filter {
            !$0.isNewline && !$0.unicodeScalars.contains { $0.value < 32 }
        }
        guard let name, !name.isEmpty else { return "the admin endpoint" }
        return String(name.prefix(80))
    }
}

extension HTTPField.Name {
    /// The author of a change.
    static let changedBy = HTTPField.Name("X-Changed-By") ?? .from
}
