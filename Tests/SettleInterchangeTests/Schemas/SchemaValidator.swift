import Foundation
import Settle

/// Checks a value against the keywords of JSON Schema that a settings schema uses; any other keyword is a mistake.
struct SchemaValidator {
    /// The places where a value differs from a schema.
    func mistakes(in value: SettingValue, against schema: SettingValue, at place: String = "$") -> [String] {
        guard case .dictionary(let keywords) = schema else { return ["\(place): the schema is no object"] }
        return keywords.sorted { $0.key < $1.key }.flatMap { keyword, argument in
            mistakes(in: value, keyword, argument, of: keywords, at: place)
        }
    }

    private static let annotations: Set = [
        "$schema", "title", "description", "default", "writeOnly", "readOnly", "x-type", "x-unit", "format",
        "contentEncoding", "propertyOrder", "enumDescriptions", "x-rules", "x-presentation",
    ]

    private func mistakes(
        in value: SettingValue, _ keyword: String, _ argument: SettingValue, of schema: SettingValue.Entries,
        at place: String
    ) -> [String] {
        func mistake(unless isFine: Bool) -> [String] { isFine ? [] : ["\(place): \(value) against \(keyword)"] }
        switch (keyword, argument, value) {
        case ("type", .array(let names), _): return mistake(unless: names.contains { has(value, $0) })
        case ("type", let name, _): return mistake(unless: has(value, name))
        case ("enum", .array(let cases), _):
            return mistake(unless: cases.contains { number($0) ?? $0 == number(value) ?? value })
        case ("anyOf", .array(let schemas), _):
            return mistake(unless: schemas.contains { mistakes(in: value, against: $0).isEmpty })
        case ("allOf", .array(let schemas), _):
            return schemas.flatMap { mistakes(in: value, against: $0, at: place) }
        case ("minimum", _, _), ("maximum", _, _), ("exclusiveMinimum", _, _), ("exclusiveMaximum", _, _):
            return mistake(unless: isWithin(value, keyword, argument))
        case ("pattern", .string(let pattern), .string(let text)):
            return mistake(
                unless: (try? NSRegularExpression(pattern: pattern)).map { regex in
                    regex.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
                } == true)
        case ("minLength", .integer(let least), .string(let text)):
            return mistake(unless: text.unicodeScalars.count >= least)
        case ("minItems", .integer(let least), .array(let items)): return mistake(unless: items.count >= least)
        case ("maxItems", .integer(let most), .array(let items)): return mistake(unless: items.count <= most)
        case ("minProperties", .integer(let least), .dictionary(let all)): return mistake(unless: all.count >= least)
        case ("maxProperties", .integer(let most), .dictionary(let all)): return mistake(unless: all.count <= most)
        case ("items", _, .array(let items)):
            return items.enumerated().flatMap { mistakes(in: $1, against: argument, at: "\(place)[\($0)]") }
        case ("properties", .dictionary(let schemas), .dictionary(let members)):
            return schemas.flatMap { name, schema in
                members[name].map { mistakes(in: $0, against: schema, at: "\(place).\(name)") } ?? []
            }
        case ("additionalProperties", _, .dictionary(let members)):
            return members.flatMap { mistakes(in: $1, against: argument, at: "\(place).\($0)") }
        case ("pattern", .string, _), ("minLength", .integer, _), ("minItems", .integer, _), ("maxItems", .integer, _),
            ("minProperties", .integer, _), ("maxProperties", .integer, _), ("items", .dictionary, _),
            ("properties", .dictionary, _), ("additionalProperties", .dictionary, _):
            return []
        default: return Self.annotations.contains(keyword) ? [] : ["\(place): unknown keyword \(keyword)"]
        }
    }

    private func has(_ value: SettingValue, _ type: SettingValue) -> Bool {
        switch (value, type) {
        case (.null, .string("null")), (.bool, .string("boolean")), (.string, .string("string")),
            (.array, .string("array")), (.dictionary, .string("object")), (.integer, .string("integer")):
            true
        case (.integer, .string("number")), (.real, .string("number")), (.number, .string("number")): true
        case (.real(let real), .string("integer")): real.rounded() == real
        case (.number(let literal), .string("integer")): literal.allSatisfy { $0.isNumber || $0 == "-" }
        default: false
        }
    }

    private func isWithin(_ value: SettingValue, _ keyword: String, _ bound: SettingValue) -> Bool {
        guard case .real(let number)? = number(value), case .real(let limit)? = self.number(bound) else { return true }
        return switch keyword {
        case "minimum": number >= limit
        case "maximum": number <= limit
        case "exclusiveMinimum": number > limit
        default: number < limit
        }
    }

    private func number(_ value: SettingValue) -> SettingValue? {
        switch value {
        case .integer(let integer): .real(Double(integer))
        case .real: value
        case .number(let literal): Double(literal).map { .real($0) }
        default: nil
        }
    }
}
