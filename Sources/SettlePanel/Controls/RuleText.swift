import Settle
import SettleInterchange

/// A rule in a few words, such as “from 0 to 100”.
struct RuleText: Sendable {
    /// The source of a text, which decides how it is shown.
    enum Source: Sendable {
        /// The panel, in the page's language.
        case panel
        /// The program, in a language that is not known.
        case program
        /// The library, in English: completes “it must be …”.
        case library
    }

    let text: String
    let source: Source
    /// The text of the rule in a store's errors; empty if it is not known.
    let demand: String

    /// Returns the words within a sentence.
    func html(_ strings: PanelStrings) -> HTML { html(text, strings) }

    /// Returns the words as a sentence of their own.
    func sentence(_ strings: PanelStrings) -> HTML {
        html(source == .library ? "It must be \(text)." : "\(text.prefix(1).uppercased())\(text.dropFirst()).", strings)
    }

    private func html(_ text: String, _ strings: PanelStrings) -> HTML {
        switch source {
        case .panel: HTML(text)
        case .program: strings.isolated(text)
        case .library: strings.english(text)
        }
    }
}

/// Writes rules in the page's language, by their kind and their numbers.
struct RuleWording {
    private let strings: PanelStrings
    private let check: SchemaCheck

    /// - Parameter check: That of the setting, which has the type of its values.
    init(_ strings: PanelStrings, _ check: SchemaCheck) { (self.strings, self.check) = (strings, check) }

    /// Returns the words for the rules of a setting. A list of choices has none: the control shows them.
    func texts(of setting: DeclaredSetting) -> [RuleText] { setting.rules.flatMap { texts(of: $0) } }

    private func texts(of rule: RuleDescription) -> [RuleText] {
        switch rule.kind {
        case .oneOf: return rule.cases == nil ? fallback(rule) : []
        case .range: return rangeTexts(rule).map { panelText($0, rule) } ?? fallback(rule)
        case .count: return panelText(countText(rule).map { [$0] } ?? [], rule)
        case .pattern, .check:
            if let text = rule.text?.visible {
                return [RuleText(text: strings.declared(text), source: .program, demand: rule.description)]
            }
            return panelText(rule.pattern.map { [strings("text that matches %@", number($0))] } ?? [], rule)
        }
    }

    private func panelText(_ texts: [String], _ rule: RuleDescription) -> [RuleText] {
        texts.map { RuleText(text: $0, source: .panel, demand: rule.description) }
    }

    private func fallback(_ rule: RuleDescription) -> [RuleText] {
        rule.description.isEmpty
            ? [] : [RuleText(text: rule.description, source: .library, demand: rule.description)]
    }

    // MARK: Ranges

    /// - Returns: `nil` if the type's values are not in the order of their stored form.
    private func rangeTexts(_ rule: RuleDescription) -> [String]? {
        guard check.form != nil || !check.types.isDisjoint(with: ["integer", "number"]),
            rule.lowerBound != nil || rule.upperBound != nil
        else { return nil }
        let lower = rule.lowerBound.flatMap { text(of: $0, inward: 1) }
        let upper = rule.upperBound.flatMap { text(of: $0, inward: -1) }
        if let lower, let upper, lower.isIncluded, upper.isIncluded {
            return [strings("from %@ to %@", lower.text, upper.text)]
        }
        let texts = [
            lower.map { $0.isIncluded ? strings("at least %@", $0.text) : strings("more than %@", $0.text) },
            upper.map { $0.isIncluded ? strings("at most %@", $0.text) : strings("less than %@", $0.text) },
        ]
        return texts.compactMap(\.self)
    }

    /// - Parameter step: The way from an integer that is outside to the first one within.
    /// - Returns: `nil` for the limit of a type, which means nothing to people.
    private func text(of bound: RuleDescription.Bound, inward step: Int64) -> (text: String, isIncluded: Bool)? {
        switch (check.form, bound.value) {
        case (nil, .integer(let integer)):
            let isWhole = !check.types.contains("number")
            let end = isWhole && !bound.isIncluded ? integer &+ step : integer
            guard !Self.integerLimits.contains(end) else { return nil }
            return (number("\(end)"), bound.isIncluded || isWhole)
        case (nil, let value):
            guard let text = value.numberText, !Self.isLimit(Double(text) ?? 0) else { return nil }
            return (number(text), bound.isIncluded)
        case ("date-time"?, .string(let text)):
            let date = TextReading.date.value(of: text) ?? bound.value
            return (number(date.spelledForPeople), bound.isIncluded)
        default: return (number(bound.value.spelledForPeople), bound.isIncluded)
        }
    }

    /// The limits of the integer types from 32 bits on, and of the integers that a `Double` represents exactly. Those of
    /// the smaller types are helpful, and chosen as often.
    private static let integerLimits: Set<Int64> = {
        let exact: Int64 = 1 << 53
        return [
            Int64(Int32.min), Int64(Int32.max), Int64(UInt32.max), Int64.min, Int64.max, -exact, 1 - exact, exact - 1,
            exact,
        ]
    }()
    private static let realLimits: Set<Double> = Set(integerLimits.map { Double($0) } + [Double(UInt64.max)])

    /// Returns whether a number is the limit of a type. Numbers of schemas may have gone through a `Double`.
    private static func isLimit(_ number: Double) -> Bool {
        realLimits.contains(number) || number.magnitude >= Double(Float.greatestFiniteMagnitude)
    }

    // MARK: Counts

    private func countText(_ rule: RuleDescription) -> String? {
        let least = rule.lowerBound.flatMap { count($0, inward: 1) }.flatMap { $0 > 0 ? $0 : nil }
        let most = rule.upperBound.flatMap { count($0, inward: -1) }
        switch (least, most) {
        case (let least?, let most?):
            return least == most ? amount(most) : strings("%@ to %@", number("\(least)"), amount(most))
        case (let least?, nil): return strings("at least %@", amount(least))
        case (nil, let most?): return strings("at most %@", amount(most))
        case (nil, nil): return nil
        }
    }

    private func count(_ bound: RuleDescription.Bound, inward step: Int64) -> Int64? {
        guard case .integer(let count) = bound.value else { return nil }
        return bound.isIncluded ? count : count &+ step
    }

    private func amount(_ count: Int64) -> String {
        let (text, isOne) = (number("\(count)"), count == 1)
        if check.form == "base64" { return isOne ? strings("%@ byte", text) : strings("%@ bytes", text) }
        if check.types.contains("string") {
            return isOne ? strings("%@ character", text) : strings("%@ characters", text)
        }
        return isOne ? strings("%@ entry", text) : strings("%@ entries", text)
    }

    private func number(_ text: String) -> String { strings.codeInText(text) }
}
