import Settle

/// The routes that change settings, and the one that only checks values.
struct WriteRoutes: Sendable {
    let parts: APIParts
    let reading: ReadRoutes

    private var store: SettingsStore { parts.store }

    var routes: [Route] { [patchAll, patch, delete, check] }

    private var patchAll: Route {
        let operation = Operation(
            method: "PATCH", path: "/settings", name: "patchSettings",
            summary: "Sets several settings at once, all or none",
            parameters: Self.parameters,
            body: [
                ("application/json", .component("Values")), ("application/merge-patch+json", .mergePatch),
            ],
            answers: [
                .ok("These settings.", .anyOf([Listing.schema, .component("Preview")])), ReadRoutes.unknown,
            ] + Self.refusals)
        return Route(operation: operation, isWrite: true) { call in
            let plan = try makePlan(from: call)
            return try await perform(plan, call, contents: { try reading.response(to: call, hasToken: false).bytes }) {
                let listing = try Listing(of: store, for: call.client).restricted(to: Set(plan.keys))
                return try Representation(listing.json, listing.token).response(to: call)
            }
        }
    }

    private var patch: Route {
        let operation = Operation(
            method: "PATCH", path: "/settings/{key}", name: "patchSetting",
            summary: "Sets a setting, or patches a group",
            parameters: [ReadRoutes.key] + Self.parameters,
            body: [("application/json", .any), ("application/merge-patch+json", .any)],
            answers: [
                .ok(
                    "The setting or the group as it is now. If `isCovered`, the value is saved, but not in force.",
                    .anyOf([.component("Setting"), .component("Preview"), .anyObject])), ReadRoutes.unknown,
            ] + Self.refusals)
        return Route(operation: operation, isWrite: true) { call in
            let key = call.capture("key")
            let isPatch = try call.isMergePatch()
            let value = try call.json()
            let setting = store.keys.setting(forKey: key)?.key
            let plan: WritePlan
            if let setting, !isPatch {
                plan = WritePlan(.set(value), of: setting)
            } else {
                plan = try WritePlan(patch: value, of: setting ?? key, in: store.settings)
            }
            let contents = { try reading.response(to: call, of: key, hasToken: false).bytes }
            return try await perform(plan, call, contents: contents) {
                try reading.response(to: call, of: key)
            }
        }
    }

    private var delete: Route {
        let operation = Operation(
            method: "DELETE", path: "/settings/{key}", name: "resetSetting",
            summary: "Resets a setting, or those of a group, to the default",
            parameters: [ReadRoutes.key] + Self.parameters,
            answers: [
                .ok(
                    "The setting or the group as it is now.",
                    .anyOf([.component("Setting"), .component("Preview"), .anyObject])), ReadRoutes.unknown,
            ] + Self.refusals)
        return Route(operation: operation, isWrite: true) { call in
            let key = call.capture("key")
            let setting = store.keys.setting(forKey: key)?.key
            let plan = try WritePlan(patch: .null, of: setting ?? key, in: store.settings)
            let contents = { try reading.response(to: call, of: key, hasToken: false).bytes }
            return try await perform(plan, call, contents: contents) {
                try reading.response(to: call, of: key)
            }
        }
    }

    private var check: Route {
        let operation = Operation(
            method: "POST", path: "/settings/check", name: "checkSettings",
            summary: "Checks values without changing anything",
            body: [
                ("application/json", .component("Values")), ("application/merge-patch+json", .mergePatch),
            ],
            answers: [
                .ok("All values could be set.", .object(["isValid": .boolean, "keys": .array(of: .string)])),
                ReadRoutes.unknown, .problem(415, "The body has another media type."),
                .problem(422, "Some values could not be set: `problems` has the reason for each."),
            ])
        return Route(operation: operation) { call in
            let plan = try makePlan(from: call)
            try checkReach(of: plan, call)
            // Whether the merged value is valid depends on the secret, which the client could so find out.
            if !call.client.canWrite, let key = plan.mergedSecret(in: store) {
                var problem = Problem(
                    .notPermitted, "Only a token that may write can check a merge patch of the secret “\(key)”.")
                problem.members["key"] = .string(key)
                throw problem
            }
            let problems = try plan.problems(in: store)
            guard let first = problems.first else {
                return .json(["isValid": .bool(true), "keys": .array(plan.keys.map { .string($0) })])
            }
            var problem = Problem(.invalidValue, first.detail)
            problem.members["problems"] = .array(
                problems.map { problem -> SettingValue in
                    var json = problem.members
                    json["type"] = .string(problem.kind.type)
                    json["detail"] = .string(problem.detail)
                    return .dictionary(json)
                })
            throw problem
        }
    }

    private static let parameters: [Operation.Parameter] = [
        .query("dryRun", "With true, everything is checked and nothing is written.", .boolean),
        .header("If-Match", "The ETag of what the client has read: nothing is written if that has changed since."),
        .header(
            "Idempotency-Key",
            "A text of the client: a request with it that was answered with 200 is not made again when it "
                + "is repeated."),
    ]

    private static let refusals: [Operation.Answer] = [
        .problem(403, "Only the program itself changes the setting."),
        .problem(409, "A domain above the program's file locks the setting. The detail names the source."),
        .problem(412, "What `If-Match` names has changed since. Nothing is written."),
        .problem(415, "The body has another media type."),
        .problem(422, "The value has another type, or breaks the setting's rule."),
        .problem(503, "The change could not be saved."),
    ]
}

extension WriteRoutes {
    /// Returns the changes in a body that has several settings.
    private func makePlan(from call: APICall) throws -> WritePlan {
        let isPatch = try call.isMergePatch()
        let body = try call.json()
        guard isPatch else { return try WritePlan(values: body, in: store) }
        return try WritePlan(patch: body, of: nil, in: store.settings)
    }

    private func checkReach(of plan: WritePlan, _ call: APICall) throws(Problem) {
        guard !call.client.reachesEverything else { return }
        for key in plan.keys where !call.client.reaches(key, in: store) {
            guard let name = plan.name(of: key, in: store) else {
                throw Problem(.notPermitted, "The token is not for all settings.")
            }
            throw ReadRoutes.outOfReach(name)
        }
    }

    /// Returns the keys that must not have changed: what the client can't see was not in what it has read.
    private func baseKeys(of plan: WritePlan, for client: APIClient) -> [String]? {
        guard !client.reachesEverything else { return plan.base }
        let reachable = parts.settings(for: client)
        guard let base = plan.base else { return reachable.map(\.key) }
        return base.flatMap { (key: String) -> [String] in
            if client.reaches(key, in: store) { return [key] }
            let group = SettingKey(stored: key)
            return reachable.filter { group.contains(SettingKey(stored: $0.declaredKey)) }.map(\.key)
        }
    }

    /// Commits changes, or reports what they would do, if the request wants no more.
    ///
    /// - Parameters:
    ///   - contents: Returns the body of what `If-Match` is about.
    ///   - answer: Makes the answer once the changes are on stable storage.
    private func perform(
        _ plan: WritePlan, _ call: APICall, contents: () throws -> [UInt8], answer: () throws -> WebResponse
    ) async throws -> WebResponse {
        try checkReach(of: plan, call)
        guard call.request.values(of: "if-none-match").isEmpty else {
            throw Problem(.invalidRequest, "A change has no If-None-Match: every setting exists. Use If-Match.")
        }
        let fields = call.request.values(of: "if-match")
        let precondition = try Precondition(ifMatch: fields.isEmpty ? nil : fields.joined(separator: ","))
        let isDryRun = try call.flag("dryRun")
        let base = baseKeys(of: plan, for: call.client)
        do {
            if isDryRun {
                let preview = try await Preview(
                    of: plan, if: precondition, base: base, contents: contents, by: call.client.name, in: store)
                return .json(preview.json)
            }
            try await store.commit(if: precondition, of: base, contents: contents, author: call.client.name) {
                try plan.apply(to: store)
            }
            return try answer()
        } catch let error as SettingsError where error.code == .conflict {
            return try await conflict(error.conflict, plan, call, isDryRun: isDryRun, answer: answer)
        } catch is NoKnownToken {
            return try await conflict(nil, plan, call, isDryRun: isDryRun, answer: answer)
        } catch is CancellationError {
            throw Problem.cancelledChange
        }
    }

    /// Answers a change whose precondition is not met. One that the client itself has made already, and whose answer
    /// was lost, is answered as made, once it is on stable storage.
    private func conflict(
        _ conflict: CommitConflict?, _ plan: WritePlan, _ call: APICall, isDryRun: Bool,
        answer: () throws -> WebResponse
    ) async throws -> WebResponse {
        if !isDryRun, let author = conflict?.author?.name, author.hasSameBytes(as: call.client.name),
            try plan.isDone(in: store)
        {
            // The first request may have been answered with 503, because it is in force and not saved.
            try await store.flush()
            parts.counts.count(.replay)
            return try answer()
        }
        parts.counts.count(.conflict)
        throw Problem(conflict: conflict, plan, for: call.client, in: store)
    }
}

extension Problem {
    /// The values that a change builds on have changed, or it is not known whether they have.
    fileprivate init(conflict: CommitConflict?, _ plan: WritePlan, for client: APIClient, in store: SettingsStore) {
        let keys = (conflict?.keys ?? []).filter { client.reaches($0, in: store) }
        // The client is not to know who has changed what it can't see.
        let author = keys.isEmpty ? nil : conflict?.author?.name
        var reason = "What has changed since the ETag in If-Match is not known any more."
        if conflict?.keys.isEmpty == false {
            let names = keys.isEmpty ? "other settings" : keys.map { "“\($0)”" }.joined(separator: ", ")
            let last = author.map { ", last by \($0)" } ?? ""
            reason = "What If-Match names has changed since: \(names)\(last)."
        }
        self.init(.changed, "\(reason) Nothing is written. Read the settings again.")
        members["conflicts"] = .array(
            keys.map { key -> SettingValue in
                var json: SettingValue.Entries = ["key": .string(key)]
                guard let info = store.keys.setting(forKey: key), !info.isSecret else { return .dictionary(json) }
                // Not the value in force, which may be that of a domain above the file.
                let stored = try? store.keys.valueToModify(forKey: key)
                json["stored"] = stored ?? .null
                if let write = plan.writes.first(where: { $0.key.hasSameBytes(as: key) })?.write {
                    json["yours"] = write.applied(to: stored) ?? info.defaultValue ?? .null
                }
                return .dictionary(json)
            })
        if let author { members["author"] = .string(author) }
        if let token = store.history.token { members["token"] = .string(token.description) }
    }
}
