/// A rule of a setting as data, for a settings page, a command line or a schema: its demand without the code that
/// checks it.
///
/// ```swift
/// for rule in store.keys.setting(forKey: "window.width")?.rules ?? [] {
///     print(rule.kind, rule.lowerBound?.value ?? .null, rule.description)
/// }
/// ```
///
/// Rules of secrets have neither bounds nor cases, except how long the secret may be.
public struct RuleDescription: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The subject of a rule.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The value lies between the bounds.
        case range
        /// The value is one of ``RuleDescription/cases``.
        case oneOf
        /// The whole string matches ``RuleDescription/pattern``.
        case pattern
        /// The number of characters, elements, entries or bytes lies between the bounds.
        case count
        /// Only the program's own code can check it: the description has the text.
        case check
    }

    /// An end of a range.
    public struct Bound: Sendable, Hashable, Codable {
        /// The last value within the range, or the first one outside, in its stored form.
        public let value: SettingValue
        /// Whether the value itself is within the range.
        public let isIncluded: Bool

        package init(_ value: SettingValue, isIncluded: Bool) {
            (self.value, self.isIncluded) = (value, isIncluded)
        }
    }

    /// The subject of the rule.
    public let kind: Kind
    /// Text that completes "it must be …", such as "in 0...20".
    public let description: String
    /// The lower end; `nil` if there is none, or it can't be represented.
    public let lowerBound: Bound?
    /// The upper end; `nil` if there is none, or it can't be represented.
    public let upperBound: Bound?
    /// All allowed values in their stored form; `nil` if they can't be represented.
    public let cases: [SettingValue]?
    /// The titles of the ``cases``, in the same order; `nil` if the declaration has none.
    public let titles: [String]?
    /// A regular expression as Swift spells it; `nil` if the declaration does not give it as text.
    public let pattern: String?
    /// The declaration's own text for a pattern or a check, which completes “it must be …”; `nil` if it has none.
    public let text: String?

    package init(
        _ kind: Kind, _ description: String, lowerBound: Bound? = nil, upperBound: Bound? = nil,
        cases: [SettingValue]? = nil, titles: [String]? = nil, pattern: String? = nil, text: String? = nil
    ) {
        (self.kind, self.description) = (kind, description)
        (self.lowerBound, self.upperBound) = (lowerBound, upperBound)
        (self.cases, self.titles) = (cases, titles)
        (self.pattern, self.text) = (pattern, text)
    }
}
