import HTTPTypes
import Hummingbird
import Settle

/// `POST /settings/undo/{token}`: takes a transaction of the file's history back.
struct UndoRoute: Sendable {
    let store: SettingsStore
    let counts: ConflictCounts

    private static let path = "/settings/undo/{token}"

    var endpoint: Endpoint {
        let operation = Operation(
            method: .post, path: Self.path, summary: "Takes back a transaction", access: .admin,
            parameters: [
                Operation.Parameter(
                    name: "token", place: .path, description: "The transaction's place in the history.",
                    schema: .component("ChangeToken")),
                Operation.Parameter(
                    name: "force", place: .query,
                    description: "With true, keys that have changed since are put back too.",
                    schema: .boolean),
            ],
            answers: [
                .ok("The keys that are as before the transaction, and those that have changed since.", Self.schema),
                Operation.Answer(
                    status: .conflict,
                    description: "All keys have changed since, or one is locked. Nothing is written.",
                    schema: .anyOf([Self.schema, .component("Error")])),
                .error(.notFound, "There is no such transaction in the file's history, or the service keeps none."),
                .error(.gone, "The transaction is not known any more."),
                .error(.unprocessableContent, "The transaction can't be undone, or an old value breaks its rule now."),
                .error(.serviceUnavailable, "The change could not be saved."),
            ])
        return Endpoint(operation: operation) { request, context in try await answer(request, context) }
    }

    private func answer(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let text = try context.parameter("token")
        let force = try request.flag("force")
        guard let token = ChangeToken(text) else {
            throw ServiceError(.notFound, "“\(text.visible.prefix(60))” is no place in a history.")
        }
        do {
            let result = try await store.history.undo(token, force: force, author: context.author)
            let hasUndone = result.conflicts.isEmpty || !result.keys.isEmpty
            if hasUndone { counts.undone() } else { counts.conflict() }
            var json = result.json
            if !hasUndone {
                json["error"] = .string("What the transaction changed has changed since. With force=true it is undone.")
            }
            // Not the store's newest place: a client that builds on it would pass over what others have stored since.
            return Response(json: json, status: hasUndone ? .ok : .conflict, headers: .tagged(result.token))
        } catch let error as SettingsError {
            throw ServiceError(settings: error, status: error.code == .historyUnavailable ? status(of: token) : nil)
        }
    }

    /// Of a place of which nothing is known: 410 if it may have been one of this history.
    private func status(of token: ChangeToken) -> HTTPResponse.Status {
        guard let now = store.history.token, now.history == token.history, token.position <= now.position else {
            return .notFound
        }
        return .gone
    }

    private static let schema = Schema.object(
        [
            "undone": .component("ChangeToken"), "keys": .array(of: .string),
            "conflicts": .array(
                of: .object(["key": .string], optional: ["old": .any, "then": .any, "now": .any])),
        ], optional: ["token": .component("ChangeToken"), "error": .string])
}

extension UndoResult {
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "keys": .array(keys.map { .string($0) }), "conflicts": .array(conflicts.map { .dictionary($0.json) }),
        ]
        // Known of every undo of the history.
        json["undone"] = undone.map { .string($0.description) }
        if let token { json["token"] = .string(token.description) }
        return json
    }
}

extension UndoConflict {
    /// What was not stored is absent.
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["key": .string(key)]
        json["old"] = oldValue
        json["then"] = valueThen
        json["now"] = valueNow
        return json
    }
}
