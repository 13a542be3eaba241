import Settle

/// The routes of the OpenFeature Remote Evaluation Protocol, which read settings as flags.
struct FlagRoutes: Sendable {
    let parts: APIParts

    var routes: [Route] { [evaluate, evaluateAll] }

    private var evaluate: Route {
        let operation = Operation(
            method: "POST", path: "/ofrep/v1/evaluate/flags/{key}", name: "evaluateFlag",
            summary: "A setting as a flag of OpenFeature",
            parameters: [.path("key", "The key of a setting.")], body: Self.body,
            answers: [
                .ok("The value in force; without `value`, the client uses its own default.", FlagEvaluation.schema),
                .json(400, "The body or the value is not valid in the protocol.", FlagFailure.schema),
                .json(404, "There is no such flag.", FlagFailure.schema),
            ])
        return Route(operation: operation, access: parts.configuration.flags) { call in
            do {
                return .json(try evaluation(of: call.capture("key"), call))
            } catch let failure as FlagFailure {
                return failure.response
            }
        }
    }

    private func evaluation(of key: String, _ call: APICall) throws -> SettingValue.Entries {
        try checkContext(of: call, key: key)
        guard let flag = parts.store.keys.setting(forKey: key).flatMap({ FlagEvaluation($0) }) else {
            throw FlagFailure.notFound(key)
        }
        guard call.client.reaches(flag.key, in: parts.store) else { throw ReadRoutes.outOfReach(flag.key) }
        return try flag.json()
    }

    private var evaluateAll: Route {
        let operation = Operation(
            method: "POST", path: "/ofrep/v1/evaluate/flags", name: "evaluateFlags",
            summary: "All settings as flags of OpenFeature",
            parameters: [
                .query("flagConfigEtag", "Has no effect: the answer is always current."),
                .query("flagConfigLastModified", "Has no effect: the answer is always current."),
                .header(
                    "If-None-Match", "The ETag of the client's flags: if that is current, the answer is 304."),
            ],
            body: Self.body,
            answers: [
                .ok(
                    "The flags within the token's reach. A value that no flag has is a failure among them.",
                    .object(["flags": .array(of: .anyOf([FlagEvaluation.schema, FlagFailure.schema]))])),
                .empty(304, "The client has them already."),
                .json(400, "The body is not valid in the protocol.", FlagFailure.schemaWithoutKey),
            ])
        return Route(operation: operation, access: parts.configuration.flags) { call in
            do throws(FlagFailure) {
                try checkContext(of: call, key: nil)
            } catch {
                return error.response
            }
            let flags = parts.settings(for: call.client).compactMap { FlagEvaluation($0) }
            // Without a token of the history: it would change the tag with settings that are not flags.
            return try Representation(["flags": .array(flags.map(Self.entry))], nil).response(to: call, isQuery: true)
        }
    }

    /// The flag, or the reason why it has no value.
    private static func entry(of flag: FlagEvaluation) -> SettingValue {
        do throws(FlagFailure) {
            return .dictionary(try flag.json())
        } catch {
            return .dictionary(error.json)
        }
    }

    private static let body: [(mediaType: String, schema: Schema)] = [
        (
            "application/json",
            Schema([
                "type": .string("object"),
                "properties": .dictionary([
                    "context": .dictionary([
                        "type": .string("object"),
                        "description": .string("Has no effect: a flag has the same value for everyone."),
                        "properties": .dictionary(["targetingKey": Schema.string.json]),
                    ])
                ]),
            ])
        )
    ]

    /// Checks that the body is one of the protocol. Its context is not used: settings are not targeted.
    private func checkContext(of call: APICall, key: String?) throws(FlagFailure) {
        let body: SettingValue
        do throws(Problem) {
            body = try call.json()
        } catch {
            throw FlagFailure(.parseError, error.detail, key: key)
        }
        guard case .dictionary(let members) = body else {
            throw FlagFailure(.parseError, "The body must be an object, such as {\"context\": {}}.", key: key)
        }
        // The protocol wants a context with a targeting key, but its clients send neither if they have none.
        guard let context = members["context"] else { return }
        guard case .dictionary(let attributes) = context else {
            throw FlagFailure(.invalidContext, "The context must be an object.", key: key)
        }
        guard let targetingKey = attributes["targetingKey"] else { return }
        guard case .string = targetingKey else {
            throw FlagFailure(.invalidContext, "The targeting key must be a text.", key: key)
        }
    }
}
