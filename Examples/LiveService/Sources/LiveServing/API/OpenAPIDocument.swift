import HTTPTypes
import Settle
import SettleInterchange

/// The OpenAPI description of the service, made from what it serves: its table of endpoints and its settings.
struct OpenAPIDocument {
    let operations: [Operation]
    let settings: [SettingsSchema.Entry]

    var json: SettingValue.Entries {
        [
            "openapi": .string("3.1.0"),
            "info": .dictionary([
                "title": .string("live-service"), "version": .string(LiveService.version),
                "description": .string("A small HTTP service whose settings change while it runs."),
            ]),
            "paths": .dictionary(paths),
            "components": .dictionary([
                "schemas": .dictionary(Schema.entries(components)),
                "securitySchemes": .dictionary([
                    "token": .dictionary(["type": .string("http"), "scheme": .string("bearer")])
                ]),
            ]),
        ]
    }

    private var paths: SettingValue.Entries {
        var paths: SettingValue.Entries = [:]
        for (path, operations) in Dictionary(grouping: operations, by: \.path) {
            var item: SettingValue.Entries = [:]
            for operation in operations { item[operation.method.rawValue.lowercased()] = .dictionary(operation.json) }
            paths[path] = .dictionary(item)
        }
        return paths
    }

    private var components: [String: Schema] {
        [
            "Error": .object(["error": .string]),
            "Setting": SettingInfo.schema(of: settings.map(\.key)),
            "SettingKey": .oneOf(settings.map(\.key)),
            "Settings": .object([:], optional: Dictionary(settings.map { ($0.key, Schema($0.jsonSchema)) }) { $1 }),
            "Problem": SettingInfo.problemSchema,
            "ChangeToken": Schema.changeToken, "Mutation": Schema.mutation, "Conflict": Schema.conflict,
            "ChangeEvent": Schema.changeEvent, "CoveredEvent": Schema.coveredEvent,
            "SnapshotEvent": Schema.snapshotEvent, "HistoryEntry": HistoryEntry.schema,
        ]
    }
}

extension Operation {
    fileprivate var json: SettingValue.Entries {
        var json: SettingValue.Entries = [
            "operationId": .string(identifier), "summary": .string(summary), "responses": .dictionary(responses),
        ]
        if !parameters.isEmpty { json["parameters"] = .array(parameters.map { .dictionary($0.json) }) }
        if let body {
            json["requestBody"] = .dictionary([
                "required": .bool(true), "content": content("application/json", body),
            ])
        }
        if access == .admin { json["security"] = .array([.dictionary(["token": .array([])])]) }
        return json
    }

    /// A name for generated clients, such as `patchSettingsKey`.
    private var identifier: String {
        let words = path.split { !$0.isLetter }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return method.rawValue.lowercased() + words.joined()
    }

    private var responses: SettingValue.Entries {
        var responses: SettingValue.Entries = [:]
        for (status, answers) in Dictionary(grouping: allAnswers, by: \.status) {
            var contents: SettingValue.Entries = [:]
            for answer in answers {
                if let schema = answer.schema { contents[answer.mediaType] = .dictionary(["schema": schema.json]) }
            }
            var response: SettingValue.Entries = [
                "description": .string(answers.map(\.description).joined(separator: " "))
            ]
            if !contents.isEmpty { response["content"] = .dictionary(contents) }
            responses["\(status.code)"] = .dictionary(response)
        }
        return responses
    }

    private func content(_ mediaType: String, _ schema: Schema) -> SettingValue {
        .dictionary([mediaType: .dictionary(["schema": schema.json])])
    }
}

extension Operation.Parameter {
    fileprivate var json: SettingValue.Entries {
        [
            "name": .string(name), "in": .string(place.rawValue), "description": .string(description),
            "schema": schema.json, "required": .bool(isRequired || place == .path),
        ]
    }
}
