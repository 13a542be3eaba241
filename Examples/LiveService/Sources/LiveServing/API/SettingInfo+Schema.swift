import Settle

extension SettingInfo {
    /// What `PATCH` takes as the setting's value. Rules that JSON Schema can't express are in the description.
    var schema: Schema {
        var keywords: SettingValue.Entries = [:]
        if !rules.isEmpty { keywords["description"] = .string("It must be \(rules.joined(separator: ", and ")).") }
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

    /// The cases of an enumeration, from the rule that lists them.
    private var cases: [String]? {
        guard let list = words(after: "one of ") else { return nil }
        let values = list.split(separator: ", ").compactMap { $0.wholeMatch(of: /"([^"]*)"/)?.1 }
        return values.isEmpty ? nil : values.map(String.init)
    }

    private var range: ClosedRange<Int>? {
        guard let bounds = words(after: "in ")?.wholeMatch(of: /(-?\d+)\.\.\.(-?\d+)/),
            let lower = Int(bounds.1), let upper = Int(bounds.2), lower <= upper
        else { return nil }
        return lower...upper
    }

    private func words(after beginning: String) -> Substring? {
        rules.lazy.compactMap { $0.hasPrefix(beginning) ? $0.dropFirst(beginning.count) : nil }.first
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
