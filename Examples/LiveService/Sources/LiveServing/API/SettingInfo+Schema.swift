import Settle

extension SettingInfo {
    /// What `PATCH` takes as the setting's value. Rules that JSON Schema can't express are in the description.
    var schema: Schema {
        var keywords: SettingValue.Entries = [:]
        if !rules.isEmpty {
            keywords["description"] = .string("It must be \(rules.map(\.description).joined(separator: ", and ")).")
        }
        if isSecret { keywords["writeOnly"] = .bool(true) }
        if let defaultValue { keywords["default"] = defaultValue }
        return typeSchema.with(keywords)
    }

    private var typeSchema: Schema {
        if let cases { return .oneOf(cases) }
        if type == "Int", let range { return .integer(in: range) }
        return switch type {
        case "Bool": .boolean
        case "Int": .integer
        case "Double": .number
        case "[String]": .array(of: .string)
        case "String", "Secret<String>": .string
        // Such as "5s" and 5.
        case "Duration": .anyOf([.string, .number])
        default: .any
        }
    }

    /// The cases of an enumeration of strings.
    private var cases: [String]? {
        rules.lazy.compactMap(\.cases).first?.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    private var range: ClosedRange<Int>? {
        guard let rule = rules.first(where: { $0.kind == .range }), rule.upperBound?.isIncluded == true,
            case .integer(let lower)? = rule.lowerBound?.value, case .integer(let upper)? = rule.upperBound?.value
        else { return nil }
        return Int(lower)...Int(upper)
    }
}

/// The schemas of what the admin endpoints answer.
extension SettingInfo {
    /// An entry of the listing.
    static func schema(of keys: [String]) -> Schema {
        .object(
            [
                "key": .component("SettingKey"), "type": .string, "isDefault": .boolean,
                "origin": .oneOf(Origin.allCases.map(\.rawValue)),
            ],
            optional: [
                "rules": .array(of: .string), "value": .any, "default": .any, "isSecret": .boolean,
                "problem": .component("Problem"), "revision": .integer,
            ])
    }

    static let problemSchema = Schema.object(["sentence": .string], optional: ["stored": .any])

    static let listingSchema = Schema.object(["revision": .integer, "settings": .array(of: .component("Setting"))])
}
