import Settle
import SettleHTTP
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of a control's inputs: the value in force, or the input that a user has sent.
struct ControlInput: Sendable, Hashable {
    var text = ""
    /// The parts of a list or dictionary. Their names count in a dictionary only.
    var parts: [Part] = []

    struct Part: Sendable, Hashable {
        var name = ""
        var text: String
    }

    /// The content of a switch's input while it is on.
    static let on = "on"

    init() {}

    /// Creates the contents that a browser has sent.
    init(_ fields: FormFields, for kind: ControlKind) {
        text = fields["value"] ?? ""
        let texts = fields.all("part")
        switch kind {
        case .list: parts = texts.map { Part(text: $0) }
        case .dictionary:
            let names = fields.all("name")
            parts = zip(names, texts).map { Part(name: $0, text: $1) }
            // A form that lost fields on its way is refused for an entry without a name, not stored without them.
            if names.count != texts.count { parts.append(Part(text: "")) }
        default: break
        }
    }

    /// Creates the contents that show a value; `nil` if the control can't show it without a loss.
    ///
    /// For a value that is not one of its values, a switch is off, and no choice is selected; see
    /// ``ControlKind/isStray(_:)``.
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
            if kind.isStray(value) { return }
            guard let text = Self.text(of: value, kind) else { return nil }
            self.text = text
        }
    }

    /// Returns the text of a value without parts; `nil` if no text represents it completely.
    private static func text(of value: SettingValue, _ kind: ControlKind) -> String? {
        switch kind {
        case .toggle(let toggle): toggle.state(of: value).map { $0 ? Self.on : "" }
        case .choice(let choices, _): choices.place(matching: value).map { choices[$0].id }
        case .number(let input): input.nearestText(to: value) ?? value.numberText ?? value.textOnOneLine
        case .text: value.typableText
        case .date: dateText(of: value)
        case .duration:
            if case .string = value { value.textOnOneLine } else { value.numberText }
        case .data: SettingCoercion.data.convert(value).map { $0.base64EncodedString() }
        case .json: (try? value.json()).map { String(decoding: $0, as: UTF8.self) }
        case .secret, .label, .list, .dictionary: nil
        }
    }

    private static func dateText(of value: SettingValue) -> String? {
        var value = value
        if case .string(let text) = value { value = TextReading.date.value(of: text) ?? value }
        return SettingCoercion.date.convert(value).flatMap(DateInput.text)
    }
}

extension ControlKind {
    /// Returns whether a value is not one of a control's values. The page shows it beside the control.
    func isStray(_ value: SettingValue) -> Bool {
        switch self {
        case .toggle(let toggle): value != .null && toggle.state(of: value) == nil
        case .choice(let choices, _): value != .null && choices.place(matching: value) == nil
        default: false
        }
    }
}

extension ControlKind.NumberInput {
    /// Returns the end of a slider nearest to a value beyond it, or to a number stored as text.
    fileprivate func nearestText(to value: SettingValue) -> String? {
        guard isSlider, let minimum = minimum?.looseDouble, let maximum = maximum?.looseDouble, minimum <= maximum,
            let position = SettingsBundle.Slider(minimum: minimum, maximum: maximum).position(of: value),
            position != value.numberText.flatMap(Double.init)
        else { return nil }
        return SettingValue.real(position).numberText
    }
}

extension SettingValue {
    /// The number as a user types it; `nil` if it is not a number.
    var numberText: String? {
        switch self {
        case .integer(let integer): "\(integer)"
        case .real(let real): Int64(exactly: real).map { "\($0)" } ?? "\(real)"
        case .number(let literal): literal
        case .string(let text): ["nan", "inf", "-inf"].contains(text) ? text : nil
        default: nil
        }
    }

    /// A string, a number or a Boolean value as text, if an input returns it unchanged.
    fileprivate var typableText: String? {
        (numberText ?? SettingCoercion.string.convert(self)).flatMap { $0.isTypable ? $0 : nil }
    }

    fileprivate var textOnOneLine: String? { typableText.flatMap { $0.isTypableOnOneLine ? $0 : nil } }
}

extension String {
    /// Whether an HTML input returns it unchanged.
    var isTypable: Bool { !utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") } }

    /// Whether a single-line input, which removes line breaks, returns it unchanged.
    var isTypableOnOneLine: Bool { isTypable && !utf8.contains(UInt8(ascii: "\n")) }
}
