package import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Compares values with a JSON Schema, to the extent that the schemas of settings use it.
package struct SchemaCheck: Sendable {
    private let keywords: SettingValue.Entries

    package init(_ keywords: SettingValue.Entries) { self.keywords = keywords }

    /// The names of the allowed types; empty if any is allowed.
    package var types: Set<String> {
        switch keywords["type"] {
        case .string(let name)?: return [name]
        case .array(let names)?: return Set(names.compactMap { if case .string(let name) = $0 { name } else { nil } })
        default:
            // Once each, since alternatives nest.
            let found = alternatives.map { ($0.types, isOpen: $0.cases == nil) }
            return found.contains { $0.isEmpty && $1 } ? [] : Set(found.flatMap(\.0))
        }
    }

    /// Whether any string is a value.
    package var isPlainText: Bool { types.contains("string") && form == nil }

    /// The form of strings, if they do not represent themselves.
    package var form: String? {
        for name in ["format", "contentEncoding", "x-type"] {
            if case .string(let form)? = keywords[name], name != "x-type" || form.hasPrefix("Duration") { return form }
        }
        return nil
    }

    private func isInForm(_ text: String) -> Bool {
        switch form {
        case "date-time"?: TextReading.date.value(of: text) != nil
        case "uuid"?: UUID(uuidString: text) != nil
        case "base64"?: Data(base64Encoded: text) != nil
        case "Duration"?, "Duration?"?: TextReading.duration.value(of: text) != nil
        default: true
        }
    }

    /// The parts of a value: the elements of an array, or the values of a dictionary.
    package var element: SchemaCheck? {
        for name in ["items", "additionalProperties"] {
            if case .dictionary(let schema)? = keywords[name] { return SchemaCheck(schema) }
        }
        return nil
    }

    /// All allowed values, if they are limited to a list.
    private var cases: [SettingValue]? {
        if case .array(let cases)? = keywords["enum"] { cases } else { nil }
    }

    /// The values on all lists of the schema except null, in the order of the last list, each with its title if it has
    /// one. `nil` without a list.
    package var titledChoices: [(value: SettingValue, title: String?)]? {
        let lists = keywords.rules.filter { $0.cases != nil }
        guard let order = lists.last?.cases else { return nil }
        var titles: [SettingValue: String] = [:]
        for list in lists {
            for (value, title) in zip(list.cases ?? [], list.titles ?? []) where !title.isEmpty {
                titles[value] = title
            }
        }
        // The type may list more values than a rule allows.
        let others = lists.dropLast().map { Set($0.cases ?? []) }
        return order.filter { value in value != .null && others.allSatisfy { $0.contains(value) } }
            .map { ($0, titles[$0]) }
    }

    /// Returns a limit of numbers that is within the range itself, such as that of `minimum`.
    package func limit(_ name: String) -> SettingValue? { keywords[name] }

    private var alternatives: [SchemaCheck] { schemas("anyOf") }

    private func schemas(_ name: String) -> [SchemaCheck] {
        guard case .array(let schemas)? = keywords[name] else { return [] }
        return schemas.compactMap { schema in
            switch schema {
            case .dictionary(let keywords): SchemaCheck(keywords)
            case .bool(true): SchemaCheck(SettingValue.Entries())
            default: nil
            }
        }
    }

    /// Returns the problem with a value, as text that completes “it can't be this:”; `nil` if there is none.
    package func problem(with value: SettingValue) -> String? {
        problemWithType(value) ?? problemWithRules(value)
    }

    private static let isNoAlternative = "it is not one of the allowed values"
    private static let matchesNoPattern = "it does not match its pattern"

    /// Returns whether a problem states what is demanded, so that it needs no explanation.
    static func statesDemand(_ problem: String) -> Bool {
        ![isNoAlternative, matchesNoPattern].contains { problem.hasSuffix($0) }
    }

    /// Returns whether a value of the setting's type breaks one of its rules.
    package func breaksRule(_ value: SettingValue) -> Bool {
        problemWithType(value) == nil && problemWithParts(value) == nil && problemWithRules(value) != nil
    }

    private func problemWithType(_ value: SettingValue) -> String? {
        let alternatives = alternatives
        let isAllowed = alternatives.contains { $0.problem(with: value) == nil }
        // Alternatives may allow single values of other types.
        if !isAllowed, !types.isEmpty, !types.contains(where: { value.isOfType($0) }) {
            return "it must be \(types.sorted().map(Self.words).joined(separator: " or "))"
        }
        if case .string(let text) = value, !isInForm(text) {
            return "it must be a \(form.map(Self.words) ?? "text")"
        }
        return !alternatives.isEmpty && !isAllowed ? Self.isNoAlternative : nil
    }

    private func problemWithRules(_ value: SettingValue) -> String? {
        if let cases, !cases.contains(where: { $0.isSame(as: value) }) {
            return "it must be one of \(cases.map(DefaultsText.text).joined(separator: ", "))"
        }
        return problemWithBounds(value) ?? problemWithParts(value)
            ?? schemas("allOf").lazy.compactMap { $0.problem(with: value) }.first
    }

    private func problemWithBounds(_ value: SettingValue) -> String? {
        let bounds: [(name: String, words: String, isBroken: (Double, Double) -> Bool)] = [
            ("minimum", "at least", { $0 < $1 }), ("exclusiveMinimum", "more than", { $0 <= $1 }),
            ("maximum", "at most", { $0 > $1 }), ("exclusiveMaximum", "less than", { $0 >= $1 }),
        ]
        let counts: [(name: String, words: String, unit: String, isBroken: (Int, Int64) -> Bool)] = [
            ("minLength", "at least", "character", { $0 < $1 }), ("minItems", "at least", "element", { $0 < $1 }),
            ("maxItems", "at most", "element", { $0 > $1 }), ("minProperties", "at least", "key", { $0 < $1 }),
            ("maxProperties", "at most", "key", { $0 > $1 }),
        ]
        if let number = value.number {
            for (name, words, isBroken) in bounds {
                if let bound = keywords[name], let limit = bound.number, isBroken(number, limit) {
                    return "it must be " + (range ?? "\(words) \(DefaultsText.text(of: bound))")
                }
            }
        }
        for (name, words, unit, isBroken) in counts {
            if case .integer(let limit)? = keywords[name], let count = value.count(for: name), isBroken(count, limit) {
                return "it must have \(words) \(limit) \(unit)\(limit == 1 ? "" : "s")"
            }
        }
        if case .string(let pattern)? = keywords["pattern"], case .string(let text) = value,
            let regex = try? Regex(pattern),
            !Self.matches(text, regex, isWhole: pattern.hasPrefix("^") && pattern.hasSuffix("$"))
        {
            return Self.matchesNoPattern
        }
        return nil
    }

    /// Both bounds of numbers, as a declaration spells them; `nil` if there is only one, or another combination.
    private var range: String? {
        guard let lower = keywords["minimum"], keywords["exclusiveMinimum"] == nil else { return nil }
        let (upper, dots): (SettingValue, String)
        switch (keywords["maximum"], keywords["exclusiveMaximum"]) {
        case (let included?, nil): (upper, dots) = (included, "...")
        case (nil, let excluded?): (upper, dots) = (excluded, "..<")
        default: return nil
        }
        return "in \(DefaultsText.text(of: lower))\(dots)\(DefaultsText.text(of: upper))"
    }

    /// Returns whether a text has a match: a pattern that is not anchored may match a part.
    private static func matches(_ text: String, _ regex: Regex<AnyRegexOutput>, isWhole: Bool) -> Bool {
        let match = isWhole ? try? regex.wholeMatch(in: text) : try? regex.firstMatch(in: text)
        return match != nil
    }

    private func problemWithParts(_ value: SettingValue) -> String? {
        guard let element else { return nil }
        switch value {
        case .array(let elements):
            for (position, part) in elements.enumerated() {
                if let problem = element.problem(with: part) { return "in element \(position), \(problem)" }
            }
        case .dictionary(let entries):
            for (name, part) in entries.sortedByKey() {
                if let problem = element.problem(with: part) { return "in “\(name)”, \(problem)" }
            }
        default: break
        }
        return nil
    }

    private static func words(_ type: String) -> String {
        switch type {
        case "boolean": "true or false"
        case "integer": "a whole number"
        case "number": "a number"
        case "string": "a text"
        case "array": "a list"
        case "object": "a dictionary"
        case "date-time": "date such as 2026-11-23T12:00:00Z"
        case "base64": "text in base64"
        case "uuid": "UUID"
        case "Duration", "Duration?": "duration such as 90s"
        default: type
        }
    }
}

extension SettingValue {
    fileprivate func isOfType(_ name: String) -> Bool {
        switch (self, name) {
        case (.null, "null"), (.bool, "boolean"), (.integer, "integer"), (.integer, "number"), (.real, "number"),
            (.number, "number"), (.string, "string"), (.array, "array"), (.dictionary, "object"):
            true
        // As spelled in JSON files.
        case (.date, "string"), (.data, "string"): true
        case (.real(let real), "integer"): real == real.rounded() && real.isFinite
        case (.number(let literal), "integer"): !literal.utf8.contains { ".eE".utf8.contains($0) }
        default: false
        }
    }

    fileprivate var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        case .number(let literal): Double(literal)
        default: nil
        }
    }

    fileprivate func isSame(as other: SettingValue) -> Bool {
        self == other || (number != nil && number == other.number)
    }

    fileprivate func count(for keyword: String) -> Int? {
        switch (self, keyword) {
        case (.string(let text), "minLength"): text.unicodeScalars.count
        case (.array(let elements), "minItems"), (.array(let elements), "maxItems"): elements.count
        case (.dictionary(let entries), "minProperties"), (.dictionary(let entries), "maxProperties"): entries.count
        default: nil
        }
    }
}
