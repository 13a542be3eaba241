import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ControlInput {
    /// Returns the value that the user means; `nil` for none.
    ///
    /// - Throws: ``InputProblem`` if the text is not a value of the kind.
    func value(for control: Control) throws(InputProblem) -> SettingValue? {
        switch control.kind {
        case .list(let element):
            var elements: [SettingValue] = []
            for (position, part) in parts.enumerated() {
                guard let value = try Self.value(part.text, element) else {
                    throw InputProblem("Entry %@ is empty. Remove it, or fill it in.", "\(position + 1)")
                }
                elements.append(value)
            }
            return .array(elements)
        case .dictionary(let element):
            var entries = SettingValue.Entries()
            for part in parts {
                guard !part.name.isEmpty else { throw InputProblem("Each entry needs a name.") }
                guard entries[part.name] == nil else { throw InputProblem("There are two entries “%@”.", part.name) }
                guard let value = try Self.value(part.text, element) else {
                    throw InputProblem("The entry “%@” is empty. Remove it, or fill it in.", part.name)
                }
                entries[part.name] = value
            }
            return .dictionary(entries)
        default:
            let value = try Self.value(text, control.kind)
            if let value, value == .string(""), control.isOptional { return nil }
            return value
        }
    }

    /// - Returns: `nil` if required input is empty.
    private static func value(_ text: String, _ kind: ControlKind) throws(InputProblem) -> SettingValue? {
        switch kind {
        case .toggle(let toggle): return toggle.value(isOn: text == Self.on)
        case .choice(let choices, _):
            if text.isEmpty { return nil }
            guard let choice = choices.first(where: { $0.id.hasSameBytes(as: text) }) else {
                throw InputProblem("Choose an entry from the list.")
            }
            return choice.value
        case .text: return .string(text.replacing("\r\n", with: "\n"))
        case .secret: return text.isEmpty ? nil : .string(text)
        case .label, .list, .dictionary: return nil
        default: break
        }
        guard !text.allSatisfy(\.isWhitespace) else { return nil }
        guard let value = scalar(text, kind) else { throw problem(with: text, kind) }
        return value
    }

    private static func scalar(_ text: String, _ kind: ControlKind) -> SettingValue? {
        switch kind {
        case .number(let input):
            // A number that is not finite is a string in files.
            if ["nan", "inf", "-inf"].contains(text) { return input.isInteger ? nil : .string(text) }
            let value = TextReading.number.value(of: text.withDigitBeforePoint)
            return input.isInteger ? value : value?.asFraction
        case .date: return DateInput.value(of: text)
        case .duration: return TextReading.duration.value(of: text) ?? TextReading.number.value(of: text)
        case .data: return Data(base64Encoded: text).map { .data($0) }
        case .json: return try? SettingValue(json: Data(text.utf8))
        default: return nil
        }
    }

    private static func problem(with text: String, _ kind: ControlKind) -> InputProblem {
        switch kind {
        case .number(let input) where input.isInteger: InputProblem("“%@” is not a whole number.", text)
        case .number: InputProblem("“%@” is not a number.", text)
        case .date: InputProblem("“%@” is not a date such as 2026-11-23T12:00:00.", text)
        case .duration: InputProblem("“%@” is not a duration such as 90s, 5m or 1h30m.", text)
        case .data: InputProblem("This is not text in base64.")
        default: InputProblem("This is not JSON; text needs quotation marks.")
        }
    }
}

extension SettingValue {
    /// The same number as a floating-point number, if that type can represent it: a setting that was 0.5 and becomes 2
    /// can still become 0.5 again, even where only the stored value shows its type.
    fileprivate var asFraction: SettingValue {
        guard case .integer(let integer) = self, Int64(exactly: Double(integer)) == integer else { return self }
        return .real(Double(integer))
    }
}

extension String {
    /// The text with a digit before the decimal point: browsers accept `.5`, which no file has.
    fileprivate var withDigitBeforePoint: String {
        let text = drop(while: \.isWhitespace)
        if text.hasPrefix(".") { return "0\(text)" }
        return text.hasPrefix("-.") ? "-0\(text.dropFirst())" : self
    }
}

/// The reason that the input is not a value, as a sentence.
struct InputProblem: Error {
    /// The sentence in English, with `%@` for each value.
    let sentence: String
    let values: [String]

    init(_ sentence: String, _ values: String...) { (self.sentence, self.values) = (sentence, values) }

    func sentence(in strings: PanelStrings) -> HTML {
        values.isEmpty ? strings.sentence(sentence) : strings.html(sentence, values.map { strings.isolated($0) })
    }
}
