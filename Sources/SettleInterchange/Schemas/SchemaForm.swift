import Settle

/// Checks that a JSON Schema by anybody has the form that the check of values relies on, within bounds of depth. Pure.
enum SchemaForm {
    /// The maximum number of schemas within one another.
    static let depthLimit = 64
    /// The limits of a pattern: compiling one takes stack for each level of it.
    static let patternLimit = (bytes: 1_000, brackets: 64)

    private static let types: Set = ["null", "boolean", "integer", "number", "string", "array", "object"]
    private static let numbers: Set = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
    private static let counts: Set = ["minLength", "minItems", "maxItems", "minProperties", "maxProperties"]

    /// Returns the problem, with its location as a JSON pointer, as text that completes “it can't be used:”.
    static func problem(of schema: SettingValue) -> String? { problem(of: schema, at: "#", depth: 0) }

    private static func problem(of schema: SettingValue, at location: String, depth: Int) -> String? {
        // It allows anything.
        if case .bool(true) = schema { return nil }
        guard case .dictionary(let keywords) = schema else { return "“\(location)” is not an object" }
        guard depth < depthLimit else { return "“\(location)” is more than \(depthLimit) levels deep" }
        for (name, argument) in keywords.sortedByKey() {
            let location = "\(location)/\(name)"
            if let problem = problemWithForm(of: argument, name) { return "“\(location)” \(problem)" }
            for (part, inner) in schemas(in: argument, name) {
                if let problem = problem(of: inner, at: location + part, depth: depth + 1) { return problem }
            }
        }
        return nil
    }

    /// Returns the schemas in a keyword's argument.
    private static func schemas(in argument: SettingValue, _ name: String) -> [(part: String, schema: SettingValue)] {
        switch (name, argument) {
        case ("properties", .dictionary(let entries)): entries.sortedByKey().map { ("/\($0)", $1) }
        case ("items", .dictionary), ("additionalProperties", .dictionary): [("", argument)]
        case ("anyOf", .array(let schemas)), ("allOf", .array(let schemas)):
            schemas.enumerated().map { ("/\($0)", $1) }
        default: []
        }
    }

    private static func problemWithForm(of argument: SettingValue, _ name: String) -> String? {
        switch (name, argument) {
        case ("type", .array(let names)): !names.isEmpty && names.allSatisfy(isType) ? nil : "is not a list of types"
        case ("type", _): isType(argument) ? nil : "is not a type"
        case ("properties", .dictionary): nil
        case ("properties", _): "is not an object"
        case ("items", .dictionary), ("items", .bool), ("additionalProperties", .dictionary),
            ("additionalProperties", .bool):
            nil
        case ("items", _), ("additionalProperties", _): "is not a schema"
        case ("anyOf", .array(let list)), ("allOf", .array(let list)): list.isEmpty ? "is empty" : nil
        case ("enum", .array): nil
        case ("anyOf", _), ("allOf", _), ("enum", _): "is not a list"
        case (_, .integer) where numbers.contains(name) || counts.contains(name): nil
        case (_, .real) where numbers.contains(name), (_, .number) where numbers.contains(name): nil
        case _ where numbers.contains(name): "is not a number"
        case _ where counts.contains(name): "is not a whole number"
        case ("pattern", .string(let pattern)): problemWithPattern(pattern)
        case ("pattern", _): "is not a text"
        default: nil
        }
    }

    private static func isType(_ name: SettingValue) -> Bool {
        if case .string(let name) = name { types.contains(name) } else { false }
    }

    private static func problemWithPattern(_ pattern: String) -> String? {
        guard pattern.utf8.count <= patternLimit.bytes else { return "has more than \(patternLimit.bytes) bytes" }
        // Closing brackets may be escaped, or within a class, so only the opening ones count.
        let depth = pattern.utf8.count { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") }
        guard depth <= patternLimit.brackets else { return "has more than \(patternLimit.brackets) brackets" }
        return (try? Regex(pattern)) == nil ? "is not a regular expression" : nil
    }
}
