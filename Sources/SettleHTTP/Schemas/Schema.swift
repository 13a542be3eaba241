import Settle

/// A JSON Schema, as an OpenAPI document has them.
struct Schema: Sendable {
    let json: SettingValue

    init(_ json: SettingValue) {
        self.json = json
    }

    init(_ keywords: SettingValue.Entries) {
        json = .dictionary(keywords)
    }

    /// Any value.
    static let any = Schema(SettingValue.Entries())
    static let boolean = Schema(type: "boolean")
    static let string = Schema(type: "string")
    static let integer = Schema(type: "integer")
    static let anyObject = Schema(type: "object")
    /// A merge patch of all settings, or of a group: null resets them.
    static let mergePatch = anyOf([anyObject, Schema(type: "null")])

    static func array(of elements: Schema) -> Schema {
        Schema(type: "array", ["items": elements.json])
    }

    static func oneOf(_ values: [String]) -> Schema {
        Schema(type: "string", ["enum": .array(values.map { .string($0) })])
    }

    static func integer(in range: ClosedRange<Int>) -> Schema {
        Schema(
            type: "integer",
            ["minimum": .integer(Int64(range.lowerBound)), "maximum": .integer(Int64(range.upperBound))])
    }

    /// An object with these members and no others.
    ///
    /// - Parameter optional: Members that may be missing.
    static func object(_ members: [String: Schema], optional: [String: Schema] = [:]) -> Schema {
        var keywords: SettingValue.Entries = ["additionalProperties": .bool(false)]
        keywords["properties"] = .dictionary(entries(members.merging(optional) { old, _ in old }))
        if !members.isEmpty { keywords["required"] = .array(members.keys.sorted().map { .string($0) }) }
        return Schema(type: "object", keywords)
    }

    static func anyOf(_ schemas: [Schema]) -> Schema {
        Schema(["anyOf": .array(schemas.map(\.json))])
    }

    /// A schema among the document's components.
    static func component(_ name: String) -> Schema {
        Schema(["$ref": .string("#/components/schemas/\(componentName(name))")])
    }

    /// The name of a component, with a prefix so that a program's own document has none of that name.
    static func componentName(_ name: String) -> String { "Settings.\(name)" }

    static func entries(_ schemas: [String: Schema]) -> SettingValue.Entries {
        var entries: SettingValue.Entries = [:]
        for (name, schema) in schemas { entries[name] = schema.json }
        return entries
    }

    private init(type: String, _ keywords: SettingValue.Entries = [:]) {
        var keywords = keywords
        keywords["type"] = .string(type)
        json = .dictionary(keywords)
    }
}
