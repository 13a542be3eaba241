package import Settle

/// A setting's declaration, as in the JSON Schema of its program.
package struct DeclaredSetting: Sendable {
    package let key: SettingKey
    private let schema: SettingValue.Entries

    package init(key: SettingKey, schema: SettingValue.Entries) {
        (self.key, self.schema) = (key, schema)
    }

    /// The type in Swift, such as `Int?`.
    package var type: String? { schema.text("x-type") }
    package var title: String? { schema.text("title") }
    /// The help text and the rules.
    package var words: String? { schema.text("description") }
    package var unit: String? { schema.text("x-unit") }
    /// The number of settings that are declared before it, if known.
    var order: Int? { schema.propertyOrder }
    package var defaultValue: SettingValue? { schema["default"] }
    package var isSecret: Bool { schema["writeOnly"] == .bool(true) }
    /// Whether only its owner may write it.
    package var isOwners: Bool { schema["readOnly"] == .bool(true) }

    /// The only values that it can have, as strings, for a user who completes a command.
    package var choices: [String] {
        if case .array(let cases)? = schema["enum"] { return cases.filter { $0 != .null }.map(DefaultsText.text) }
        return check.types == ["boolean"] ? ["true", "false"] : []
    }

    /// The rules, as far as the schema states them.
    package var rules: [RuleDescription] { schema.rules }

    /// The keywords of the schema that limit its values: those of its type and of its rules.
    package var limits: SettingValue.Entries {
        let names = [
            "type", "format", "contentEncoding", "enum", "anyOf", "allOf", "minimum", "exclusiveMinimum", "maximum",
            "exclusiveMaximum", "minLength", "pattern", "items", "minItems", "maxItems", "additionalProperties",
            "minProperties", "maxProperties",
        ]
        var limits = SettingValue.Entries()
        for name in names { limits[name] = schema[name] }
        return limits
    }

    package var check: SchemaCheck { SchemaCheck(schema) }

    /// Returns the reason that a value is refused, as a sentence; `nil` if it is not.
    package func refusal(of value: SettingValue) -> String? {
        guard let problem = check.problem(with: value) else { return nil }
        let shown = isSecret ? redaction : value.line
        // The description says what a pattern means, and would only repeat a demand that the problem states.
        let explanation = SchemaCheck.statesDemand(problem) ? nil : words
        return "“\(key)” can't be \(shown): \(problem).\(explanation.map { " \($0)" } ?? "")"
    }
}
