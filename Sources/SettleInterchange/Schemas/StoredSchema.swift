public import Settle

extension SettingsError.Code {
    /// A JSON Schema can't be used to check values; see ``StoredSchema``.
    public static let unusableSchema = SettingsError.Code("unusableSchema")
}

/// A JSON Schema of settings that was stored in a file or a cluster, to check values without the program that declares
/// them.
///
/// ```swift
/// let schema = try StoredSchema(json)
/// for problem in schema.problems(with: ["limits.requests": .integer(20_000)], over: values) { print(problem) }
/// // “limits.requests” can't be 20000: it must be in 0...10000.
/// ```
///
/// It checks the keywords that ``SettingsSchema/jsonSchema`` has, and ignores others, such as `$ref` and `if`: a value
/// without a problem may still be refused by the program.
public struct StoredSchema: Sendable {
    private let declared: DeclaredSettings

    /// Creates the schema from anybody's JSON.
    ///
    /// - Throws: `SettingsError` with the code `SettingsError.Code.unusableSchema` and the location, if the schema is not
    ///   an object, if a keyword that is checked has another form than in JSON Schema, if schemas nest more than 64
    ///   levels deep, or if a pattern has more than 1,000 bytes or more than 64 brackets.
    public init(_ jsonSchema: SettingValue) throws(SettingsError) {
        if let problem = SchemaForm.problem(of: jsonSchema) {
            throw SettingsError(.unusableSchema, "The schema can't be used: \(problem).")
        }
        declared = DeclaredSettings(jsonSchema: jsonSchema)
    }

    /// Returns the reasons to refuse a write, as sentences that name the key and the rule.
    ///
    /// Refused are values that break the rules of their setting, also where only a part of the value is written or
    /// removed; owner-only settings; values of a group that are not dictionaries; and values of keys that the schema does
    /// not declare, unless it declares none. A name with dots, such as `limits\.requests`, means the declared path.
    /// Secrets are not shown. Stored values that are not written are not checked.
    ///
    /// - Parameters:
    ///   - changes: The values to write; `nil` removes the value of a key.
    ///   - values: The stored values before the write.
    /// - Returns: The reasons, sorted by the keys; empty if there is none.
    public func problems(with changes: [SettingKey: SettingValue?], over values: SettingTree) -> [String] {
        guard !declared.isEmpty else { return [] }
        var after = values
        for (key, value) in changes.sorted(by: { $0.key < $1.key }) { after[key] = value }
        var (problems, known): ([String], Set<String>) = ([], [])
        for (key, value) in changes.sorted(by: { $0.key < $1.key }) {
            // Two parts of one setting have the same problem.
            for problem in self.problems(with: value, at: key, after) where known.insert(problem).inserted {
                problems.append(problem)
            }
        }
        return problems
    }

    /// Returns whether the value of a key must not be shown, since it is a secret, a part of one, or has one.
    public func isSecret(_ key: SettingKey) -> Bool {
        declared.isSecret(key) || declared.related(to: key).contains(where: \.isSecret)
    }

    private func problems(with value: SettingValue?, at key: SettingKey, _ after: SettingTree) -> [String] {
        if let setting = declared.related(to: key).first(where: \.isOwners) {
            return ["“\(setting.key)” belongs to its owner: only the program itself may change it."]
        }
        if let (setting, spelling) = declared.declaration(around: key) {
            return after[spelling].flatMap(setting.refusal).map { [$0] } ?? []
        }
        guard let value else { return [] }
        guard declared.isGroup(key) else { return ["There is no setting “\(key)” in the schema."] }
        guard case .dictionary(let entries) = value else {
            // It may be meant for a secret in the group.
            let shown = isSecret(key) ? redaction : value.line
            return ["“\(key)” is a group of settings, and \(shown) would replace all of them."]
        }
        return entries.sortedByKey().flatMap { name, value in
            problems(with: value, at: key.appending(component: name), after)
        }
    }
}
