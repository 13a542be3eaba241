import Settle

extension Operation {
    /// The operation in an OpenAPI document.
    ///
    /// - Parameters:
    ///   - answers: The answers of the route's access, which it has besides its own.
    ///   - isAuthorized: Whether it needs a token.
    func json(with answers: [Answer], isAuthorized: Bool) -> SettingValue {
        var json: SettingValue.Entries = [
            "operationId": .string(name), "summary": .string(summary), "tags": .array([.string("Settings")]),
            "responses": .dictionary(Self.responses(self.answers + answers)),
        ]
        if !parameters.isEmpty { json["parameters"] = .array(parameters.map(\.json)) }
        if !body.isEmpty {
            json["requestBody"] = .dictionary(["required": .bool(true), "content": Self.content(body)])
        }
        if isAuthorized {
            json["security"] = .array([.dictionary([Schema.componentName("token"): .array([])])])
        }
        return .dictionary(json)
    }

    private static func responses(_ answers: [Answer]) -> SettingValue.Entries {
        var responses: SettingValue.Entries = [:]
        for (status, answers) in Dictionary(grouping: answers, by: \.status) {
            var response: SettingValue.Entries = [
                "description": .string(answers.map(\.description).joined(separator: " "))
            ]
            let contents = answers.flatMap(\.contents)
            if !contents.isEmpty { response["content"] = content(contents) }
            responses["\(status)"] = .dictionary(response)
        }
        return responses
    }

    private static func content(_ contents: [(mediaType: String, schema: Schema)]) -> SettingValue {
        var json: SettingValue.Entries = [:]
        for (mediaType, schema) in contents { json[mediaType] = .dictionary(["schema": schema.json]) }
        return .dictionary(json)
    }
}

extension Operation.Parameter {
    fileprivate var json: SettingValue {
        .dictionary([
            "name": .string(name), "in": .string(location.rawValue), "description": .string(description),
            "schema": schema.json, "required": .bool(location == .path),
        ])
    }
}
