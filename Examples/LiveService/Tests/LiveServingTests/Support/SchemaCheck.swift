import Settle

/// Checks values against the JSON Schemas of a document, with the keywords that the service uses. An unknown keyword is
/// a mistake, so that none is taken for granted.
struct SchemaCheck {
    let document: SettingValue.Entries

    /// The places where a value differs from a schema.
    func mistakes(in value: SettingValue, against schema: SettingValue, at place: String = "$") -> [String] {
        guard case .dictionary(let keywords) = schema else { return ["\(place): the schema is no object"] }
        return keywords.keys.sorted().flatMap { keyword in
            mistakes(in: value, keyword, keywords[keyword] ?? .null, of: keywords, at: place)
        }
    }

    private func mistakes(
        in value: SettingValue, _ keyword: String, _ argument: SettingValue, of schema: SettingValue.Entries,
        at place: String
    ) -> [String] {
        switch (keyword, argument) {
        case ("description", _), ("default", _), ("writeOnly", _), ("x-type", _), ("x-rules", _): []
        case ("$ref", .string(let reference)): mistakes(in: value, against: target(of: reference), at: place)
        case ("type", .string(let type)): value.isOf(type: type) ? [] : ["\(place): \(value) is no \(type)"]
        case ("type", .array(let types)):
            types.contains { mistakes(in: value, "type", $0, of: schema, at: place).isEmpty }
                ? [] : ["\(place): \(value) is none of \(types)"]
        case ("enum", .array(let values)): values.contains(value) ? [] : ["\(place): \(value) is not in \(values)"]
        case ("minimum", .integer(let bound)): value.number ?? bound >= bound ? [] : ["\(place): less than \(bound)"]
        case ("maximum", .integer(let bound)): value.number ?? bound <= bound ? [] : ["\(place): more than \(bound)"]
        case ("items", _):
            value.elements.enumerated().flatMap { mistakes(in: $1, against: argument, at: "\(place)[\($0)]") }
        case ("allOf", .array(let schemas)): schemas.flatMap { mistakes(in: value, against: $0, at: place) }
        case ("anyOf", .array(let schemas)):
            schemas.contains { mistakes(in: value, against: $0).isEmpty } ? [] : ["\(place): \(value) fits none"]
        case ("required", .array(let names)):
            names.filter { value.member($0) == nil }.map { "\(place): \($0) is missing" }
        case ("properties", .dictionary(let schemas)):
            schemas.keys.flatMap { name in
                value.member(.string(name)).map {
                    mistakes(in: $0, against: schemas[name] ?? .null, at: "\(place).\(name)")
                } ?? []
            }
        case ("additionalProperties", .bool(false)):
            value.names.filter { schema["properties"]?.member(.string($0)) == nil }.map { "\(place): \($0) is new" }
        default: ["\(place): the keyword \(keyword) is unknown"]
        }
    }

    private func target(of reference: String) -> SettingValue {
        reference.split(separator: "/").dropFirst().reduce(.dictionary(document)) { value, name in
            value.member(.string(String(name))) ?? .null
        }
    }
}

extension SettingValue {
    func member(_ name: SettingValue) -> SettingValue? {
        guard case .dictionary(let entries) = self, case .string(let name) = name else { return nil }
        return entries[name]
    }

    var names: [String] {
        guard case .dictionary(let entries) = self else { return [] }
        return Array(entries.keys)
    }

    fileprivate var elements: [SettingValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    fileprivate var number: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    fileprivate func isOf(type: String) -> Bool {
        switch (type, self) {
        case ("string", .string), ("integer", .integer), ("number", .integer), ("number", .real), ("boolean", .bool),
            ("array", .array), ("object", .dictionary):
            true
        default: false
        }
    }
}
