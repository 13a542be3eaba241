import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The routes of the history: who has changed what, and how to undo it.
struct HistoryRoutes: Sendable {
    let parts: APIParts

    var routes: [Route] { [history, undo] }

    private static let limits = 1...1_000
    private static let usualLimit = 100

    private var history: Route {
        let operation = Operation(
            method: "GET", path: "/settings/history", name: "getHistory", summary: "Who has changed what, newest first",
            parameters: [
                .query("key", "Only what has happened to this key, or to keys in it."),
                .query("since", "Only what is not older, such as 2026-11-22T00:31:26Z."),
                .query(
                    "limit", "How many transactions at most; \(Self.usualLimit) by default.",
                    .integer(in: Self.limits)),
                .header(
                    "If-None-Match", "The ETag of what the client has read: if that is current, the answer is 304."),
            ],
            answers: [
                .ok(
                    "The transactions of the history.",
                    .object(["entries": .array(of: .component("HistoryEntry"))])),
                .empty(304, "The client has it already."), .problem(404, "The store keeps no history."),
            ])
        return Route(operation: operation) { call in
            let (limit, since) = (try Self.limit(call.query["limit"]), try Self.date(call.query["since"]))
            let key = try Self.key(call.query["key"])
            // Before the entries, so that the tag is not newer than they are.
            let token = parts.store.history.token
            let found = try await entries(of: key, since: since, limit: limit, for: call.client)
            return try Representation(["entries": .array(found)], token).response(to: call)
        }
    }

    private func entries(
        of key: SettingKey?, since: Date?, limit: Int, for client: APIClient
    ) async throws -> [SettingValue] {
        var found: [SettingValue] = []
        let most = client.reachesEverything ? limit : nil
        for try await entry in parts.store.history.entries(of: key, since: since, limit: most) {
            guard let json = entry.json(for: client, in: parts.store) else { continue }
            found.append(json)
            if found.count == limit { break }
        }
        return found
    }

    private var undo: Route {
        let operation = Operation(
            method: "POST", path: "/settings/undo/{token}", name: "undoTransaction", summary: "Undoes a transaction",
            parameters: [
                .path("token", "The transaction's token in the history.", .component("Token")),
                .query("force", "With true, keys that have changed since are restored too.", .boolean),
                .header(
                    "Idempotency-Key",
                    "A text of the client: a request with it that was answered with 200 is not made again when it "
                        + "is repeated."),
            ],
            answers: [
                .ok(
                    "The keys that are as before the transaction, and those that have changed since.",
                    UndoResult.schema),
                .problem(404, "There is no such transaction in the history, or the store keeps none."),
                .problem(409, "All keys have changed since, or one is locked. Nothing is written."),
                .problem(410, "The transaction is no longer known."),
                .problem(422, "The transaction can't be undone, or an old value breaks its rule now."),
                .problem(503, "The change could not be saved."),
            ])
        return Route(operation: operation, isWrite: true) { call in
            try Self.refuseConditions(of: call.request)
            let force = try call.flag("force")
            let text = call.capture("token")
            guard let token = ChangeToken(text) else {
                throw Problem(.unknownTransaction, "“\(text.prefix(60))” is not a token of a history.")
            }
            try await checkReach(of: token, call.client)
            return try await perform(token, force: force, author: call.client.name)
        }
    }

    /// Refuses conditions, which an undo does not check.
    private static func refuseConditions(of request: WebRequest) throws(Problem) {
        guard request.values(of: "if-match").isEmpty, request.values(of: "if-none-match").isEmpty else {
            throw Problem(
                .invalidRequest,
                "An undo has no If-Match and no If-None-Match: without force, keys that have changed since stay.")
        }
    }

    private func perform(_ token: ChangeToken, force: Bool, author: String) async throws -> WebResponse {
        let result: UndoResult
        do {
            result = try await parts.store.history.undo(token, force: force, author: author)
        } catch let error as SettingsError where error.code == .historyUnavailable {
            throw Problem(kind(of: token), error.description)
        } catch is CancellationError {
            throw Problem.cancelledChange
        }
        guard result.conflicts.isEmpty || !result.keys.isEmpty else {
            parts.counts.count(.conflict)
            var problem = Problem(
                .nothingToUndo,
                "Everything that the transaction changed has changed since. With force=true it is undone.")
            problem.members = result.json
            throw problem
        }
        parts.counts.count(.undo)
        return .json(result.json)
    }

    /// The kind of problem with a token of which nothing is known: a forgotten one if it may have been one of this
    /// history.
    private func kind(of token: ChangeToken) -> ProblemKind {
        guard let now = parts.store.history.token else { return .noHistory }
        guard now.history == token.history, token.position <= now.position else { return .unknownTransaction }
        return .forgottenTransaction
    }

    /// Refuses the undo of a transaction that has changed settings out of a client's reach.
    private func checkReach(of token: ChangeToken, _ client: APIClient) async throws {
        guard !client.reachesEverything else { return }
        for try await entry in parts.store.history.entries() where entry.token == token {
            guard !entry.changes.allSatisfy({ client.reaches($0.key, in: parts.store) }) else { return }
            throw Problem(.notPermitted, "The token is not for all settings that the transaction has changed.")
        }
        throw Problem(kind(of: token), "There is no transaction “\(token)” in the history.")
    }

    private static func key(_ text: String?) throws(Problem) -> SettingKey? {
        guard let text else { return nil }
        guard let key = SettingKey(text) else {
            throw Problem(.invalidRequest, "A key, and each of its parts between dots, must not be empty.")
        }
        return key
    }

    private static func limit(_ text: String?) throws(Problem) -> Int {
        guard let text else { return usualLimit }
        guard let limit = Int(text), limits.contains(limit) else {
            throw Problem(.invalidRequest, "limit is a number from \(limits.lowerBound) to \(limits.upperBound).")
        }
        return limit
    }

    private static func date(_ text: String?) throws(Problem) -> Date? {
        guard let text else { return nil }
        // Not by a style of Foundation, which takes the beginning that fits: that of a day would make a time midnight.
        guard case .date(let date)? = TextReading.date.value(of: text) else {
            throw Problem(
                .invalidRequest, "since is a date, or a time with its offset from UTC, such as 2026-11-22T00:31:26Z.")
        }
        return date
    }
}
