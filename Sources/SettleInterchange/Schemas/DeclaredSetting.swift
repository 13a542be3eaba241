package import Settle

/// A setting's declaration, as in the JSON Schema of its program.
package struct DeclaredSetting: Sendable {
    package let key: SettingKey
    private let schema: SettingValue.Entries

    package init(key: SettingKey, schema: SettingValue.Entries) {
        (self.key, self.schema) = (key, schema)
    }

    /// The type in Swift, such as `Int?`.
    package var type: String? { text("x-type") }
    package var title: String? { text("title") }
    /// The help text and the rules.
    package var words: String? { text("description") }
    package var unit: String? { text("x-unit") }
    package var defaultValue: SettingValue? { schema["default"] }
    package var isSecret: Bool { schema["writeOnly"] == .bool(true) }
    /// Whether only its owner may write it.
    package var isOwners: Bool { schema["readOnly"] == .bool(true) }

    private func text(_ name: String) -> String? {
        if case .string(let text)? = schema[name] { text } else { nil }
    }

    /// The only values that it can have, as strings, for a user who completes a command.
    package var choices: [String] {
        if case .array(let cases)? = schema["enum"] { return cases.filter { $0 != .null }.map(DefaultsText.text) }
        return check.types == ["boolean"] ? ["true", "false"] : []
    }

    package var check: SchemaCheck { SchemaCheck(schema) }

    /// Returns the reason that a value is refused, as a sentence; `nil` if it is not.
    package func refusal(of value: SettingValue) -> String? {
        guard let problem = check.problem(with: value) else { return nil }
        let shown = isSecret ? redaction : value.line
        return "“\(key)” can't be \(shown): \(problem).\(words.map { " \($0)" } ?? "")"
    }
}
