import Settle

extension ValueShape {
    /// The JSON Schema keywords for values of this shape, as JSON files spell them and as the store accepts them.
    var jsonSchema: SettingValue.Entries {
        var keywords = Self.keywords(for: kind)
        if kind == .array, let element { keywords["items"] = .dictionary(element.jsonSchema) }
        if kind == .dictionary, let element { keywords["additionalProperties"] = .dictionary(element.jsonSchema) }
        if let minimum { keywords["minimum"] = minimum }
        if let maximum { keywords["maximum"] = maximum }
        if let cases {
            let choices = SettingValue.Entries(choices: cases, titles: titles, isOptional: isOptional)
            keywords = keywords.merging(choices) { _, new in new }
        }
        return isOptional ? Self.nullable(keywords) : keywords
    }

    private static func keywords(for kind: Kind) -> SettingValue.Entries {
        switch kind {
        case .bool: type("boolean")
        case .integer: type("integer")
        // Numbers that are not finite are words.
        case .number: ["anyOf": .array([.dictionary(type("number")), .dictionary(["enum": .array(notFinite)])])]
        case .string: type("string")
        // Or seconds since 1970.
        case .date: type("string", "number", also: ["format": .string("date-time")])
        case .data: type("string", also: ["contentEncoding": .string("base64")])
        case .url: type("string", also: ["format": .string("uri-reference")])
        case .uuid: type("string", also: ["format": .string("uuid")])
        case .duration: type("string", "number")
        case .array: type("array")
        case .dictionary: type("object")
        case .any: [:]
        }
    }

    private static let notFinite = ["nan", "inf", "-inf"].map { SettingValue.string($0) }

    private static func type(_ names: String..., also others: SettingValue.Entries = [:]) -> SettingValue.Entries {
        var keywords = others
        keywords["type"] = names.count == 1 ? .string(names[0]) : .array(names.map { .string($0) })
        return keywords
    }

    private static func nullable(_ keywords: SettingValue.Entries) -> SettingValue.Entries {
        var keywords = keywords
        let null = SettingValue.string("null")
        switch keywords["type"] {
        case .array(let names)?: keywords["type"] = .array(names + [null])
        case let name?: keywords["type"] = .array([name, null])
        case nil: break
        }
        if case .array(let forms)? = keywords["anyOf"] {
            keywords["anyOf"] = .array(forms + [.dictionary(["type": null])])
        }
        return keywords
    }
}

extension SettingValue.Entries {
    /// Creates the keywords of a list of allowed values.
    ///
    /// - Parameter titles: The titles of the values, in the same order; `nil` if they have none.
    init(choices cases: [SettingValue], titles: [String]?, isOptional: Bool) {
        let all = isOptional && !cases.contains(.null) ? cases + [.null] : cases
        self = ["enum": .array(all)]
        // Null has no title, but each value needs one.
        guard let titles else { return }
        let texts = titles + Array(repeating: "", count: all.count - cases.count)
        self["enumDescriptions"] = .array(texts.map(SettingValue.string))
    }
}
