import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the inputs of a control have: the value that is in force, or what a person has typed and sent.
struct ControlInput: Sendable, Hashable {
    var text = ""
    /// The parts of a list or dictionary, whose names count in a dictionary only.
    var parts: [Part] = []

    struct Part: Sendable, Hashable {
        var name = ""
        var text: String
    }

    /// What the input of a switch has while it is on.
    static let on = "on"

    init() {}

    /// What a browser has sent.
    init(_ fields: FormFields, for kind: ControlKind) {
        text = fields["value"] ?? ""
        let texts = fields.all("part")
        switch kind {
        case .list: parts = texts.map { Part(text: $0) }
        case .dictionary: parts = zip(fields.all("name"), texts).map { Part(name: $0, text: $1) }
        default: break
        }
    }

    /// What shows a value; `nil` if the control can't show it without a loss.
    init?(_ value: SettingValue?, for kind: ControlKind) {
        guard let value, value != .null else { return }
        switch (kind, value) {
        case (.list(let element), .array(let elements)):
            let texts = elements.compactMap { Self.text(of: $0, element) }
            guard texts.count == elements.count else { return nil }
            parts = texts.map { Part(text: $0) }
        case (.dictionary(let element), .dictionary(let entries)):
            let sorted = entries.sortedByKey()
            parts = sorted.compactMap { name, value in
                Self.text(of: value, element).flatMap { name.isTypableOnOneLine ? Part(name: name, text: $0) : nil }
            }
            guard parts.count == sorted.count else { return nil }
        default:
            guard let text = Self.text(of: value, kind) else { return nil }
            self.text = text
        }
    }

    /// The text of a value without parts, from which the same value is read; `nil` if there is none.
    private static func text(of value: SettingValue, _ kind: ControlKind) -> String? {
        switch kind {
        case .toggle(let on, let off):
            return value.isChoice(on) ? Self.on : value.isChoice(off) ? "" : nil
        case .choice(let choices, _):
            return choices.first { value.isChoice($0.value) }?.id
        case .number(let input):
            guard let number = value.numberText, input.isSlider ? Double(number) != nil : true else { return nil }
            return number
        case .text(let input):
            if case .string(let text) = value { return text.isTypable ? text : nil }
            return input.keepsScalarTypes ? value.numberText ?? SettingCoercion.string.convert(value) : nil
        case .date:
            if case .string(let text) = value {
                return TextReading.date.value(of: text).flatMap { Self.text(of: $0, kind) }
            }
            guard let date = SettingCoercion.date.convert(value) else { return nil }
            return DateInput.text(of: date)
        case .duration:
            if case .string(let text) = value { return text.isTypableOnOneLine ? text : nil }
            return value.numberText
        case .data: return SettingCoercion.data.convert(value).map { $0.base64EncodedString() }
        case .json:
            guard let json = try? value.json() else { return nil }
            return String(decoding: json, as: UTF8.self)
        case .secret, .label, .list, .dictionary: return nil
        }
    }
}

extension ControlInput {
    /// The value that a person means; `nil` for none.
    ///
    /// - Throws: ``InputProblem`` if the text is no value of the kind.
    func value(for control: Control) throws(InputProblem) -> SettingValue? {
        switch control.kind {
        case .list(let element):
            var elements: [SettingValue] = []
            for (position, part) in parts.enumerated() {
                guard let value = try Self.value(part.text, element) else {
                    throw InputProblem("Entry \(position + 1) is empty. Remove it, or fill it in.")
                }
                elements.append(value)
            }
            return .array(elements)
        case .dictionary(let element):
            var entries = SettingValue.Entries()
            for part in parts {
                guard !part.name.isEmpty else { throw InputProblem("Each entry needs a name.") }
                guard entries[part.name] == nil else { throw InputProblem("There are two entries “\(part.name)”.") }
                guard let value = try Self.value(part.text, element) else {
                    throw InputProblem("The entry “\(part.name)” is empty. Remove it, or fill it in.")
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

    /// - Returns: `nil` if nothing is typed where something must be.
    private static func value(_ text: String, _ kind: ControlKind) throws(InputProblem) -> SettingValue? {
        switch kind {
        case .toggle(let on, let off): return text == Self.on ? on : off
        case .choice(let choices, _):
            if text.isEmpty { return nil }
            guard let choice = choices.first(where: { $0.id.hasSameBytes(as: text) }) else {
                throw InputProblem("Choose one of the list.")
            }
            return choice.value
        case .text(let input):
            let text = text.replacing("\r\n", with: "\n")
            guard input.keepsScalarTypes, let number = TextReading.number.value(of: text) else { return .string(text) }
            return number
        case .secret: return text.isEmpty ? nil : .string(text)
        case .label, .list, .dictionary: return nil
        default: break
        }
        guard !text.allSatisfy(\.isWhitespace) else { return nil }
        guard let value = scalar(text, kind) else { throw InputProblem(words(for: kind, text)) }
        return value
    }

    private static func scalar(_ text: String, _ kind: ControlKind) -> SettingValue? {
        switch kind {
        case .number(let input):
            // What is no finite number is a word in files.
            if ["nan", "inf", "-inf"].contains(text) { return input.isInteger ? nil : .string(text) }
            return TextReading.number.value(of: text.withDigitBeforePoint)
        case .date: return DateInput.value(of: text)
        case .duration: return TextReading.duration.value(of: text) ?? TextReading.number.value(of: text)
        case .data: return Data(base64Encoded: text).map { .data($0) }
        case .json: return try? SettingValue(json: Data(text.utf8))
        default: return nil
        }
    }

    private static func words(for kind: ControlKind, _ text: String) -> String {
        switch kind {
        case .number(let input): "“\(text)” is no \(input.isInteger ? "whole number" : "number")."
        case .date: "“\(text)” is no date such as 2026-11-23T12:00:00."
        case .duration: "“\(text)” is no duration such as 90s, 5m or 1h30m."
        case .data: "This is no text in base64."
        default: "This is no JSON; a text needs quotation marks."
        }
    }
}

/// Why what is typed is no value, as a sentence.
struct InputProblem: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}

/// Dates as HTML's inputs have them: in UTC, without a zone.
enum DateInput {
    /// `nil` for years that the input does not have.
    static func text(of date: Date) -> String? {
        let text = DateConversion.text(of: date)
        guard text.utf8.count >= 20, text.utf8.first != UInt8(ascii: "-"), text.hasSuffix("Z"),
            text.utf8.prefix(5).last == UInt8(ascii: "-")
        else { return nil }
        return String(text.dropLast())
    }

    static func value(of text: String) -> SettingValue? {
        if let value = TextReading.date.value(of: text) { return value }
        // Browsers leave out seconds that are zero.
        return TextReading.date.value(of: text + "Z") ?? TextReading.date.value(of: text + ":00Z")
    }
}

extension SettingValue {
    /// A number as it is typed; `nil` if this is none.
    var numberText: String? {
        switch self {
        case .integer(let integer): "\(integer)"
        case .real(let real): Int64(exactly: real).map { "\($0)" } ?? "\(real)"
        case .number(let literal): literal
        case .string(let text): ["nan", "inf", "-inf"].contains(text) ? text : nil
        default: nil
        }
    }

    /// Whether this stands for a choice. Files often have a number as text, or a boolean as a number.
    func isChoice(_ choice: SettingValue) -> Bool {
        if self == choice { return true }
        let (text, other) = (SettingCoercion.string.convert(self), SettingCoercion.string.convert(choice))
        guard let text, let other else { return false }
        return text.hasSameBytes(as: other)
    }
}

extension String {
    /// Whether an input of HTML brings it back as it is.
    var isTypable: Bool { !utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") } }

    /// Whether an input of one line does, which leaves out line breaks.
    var isTypableOnOneLine: Bool { isTypable && !utf8.contains(UInt8(ascii: "\n")) }

    /// Browsers let a person type `.5`, which no file has.
    fileprivate var withDigitBeforePoint: String {
        let text = drop(while: \.isWhitespace)
        if text.hasPrefix(".") { return "0\(text)" }
        return text.hasPrefix("-.") ? "-0\(text.dropFirst())" : self
    }
}
