import Settle
import SettleHTTP
import SettleInterchange

/// The way in which a setting is shown and changed.
indirect enum ControlKind: Sendable {
    /// A switch between two values.
    case toggle(SettingsBundle.Toggle)
    /// One of several values.
    case choice([SettingsBundle.Choice], style: ChoiceStyle)
    case number(NumberInput)
    case text(TextInput)
    /// A secret. Shows only whether it is set.
    case secret
    case date
    case duration
    /// Bytes, as base64.
    case data
    /// Elements of one kind, in order.
    case list(ControlKind)
    /// Values of one kind, by name.
    case dictionary(ControlKind)
    /// Any value, as JSON.
    case json
    /// A value that is only shown; a value on the list has a title.
    case label([SettingsBundle.Choice])

    enum ChoiceStyle: Sendable, Hashable {
        case radio, select
    }

    /// The input of a number.
    struct NumberInput: Sendable, Hashable {
        var isInteger: Bool
        var minimum: SettingValue?
        var maximum: SettingValue?
        var isSlider = false
        /// The names of images at the ends of a slider.
        var minimumImage: String?
        var maximumImage: String?
    }

    /// The input of a text.
    struct TextInput: Sendable, Hashable {
        /// The type of an HTML input.
        var type = "text"
        /// Whether its field has several lines.
        var hasLines = false
        /// Whether the text reads from left to right in every language, such as a URL or a UUID.
        var isCode = false
        /// The keyboard that a phone shows; a value of HTML's `inputmode`.
        var keyboard: String?
        /// The capitalization, a value of HTML's `autocapitalize`.
        var capitalization: String?
        /// Whether the browser may correct the text; `nil` leaves that to the browser.
        var isCorrected: Bool?
    }

    /// Whether it only shows its value.
    var isLabel: Bool { if case .label = self { true } else { false } }

    /// Whether it has no parts, so that it can be a part of a list.
    var isScalar: Bool {
        switch self {
        case .list, .dictionary, .json, .secret, .label: false
        default: true
        }
    }

    /// The choices of its values, or of the parts of a list or dictionary; empty for other kinds.
    var choices: [SettingsBundle.Choice] {
        switch self {
        case .choice(let choices, _): choices
        case .list(let element), .dictionary(let element): element.choices
        default: []
        }
    }

    /// Returns whether two values are shown alike. A file may represent a number or a date differently.
    func isSame(_ left: SettingValue, _ right: SettingValue) -> Bool {
        if left == right { return true }
        // A slider shows a value beyond its end at its end.
        if case .number = self { return left.numberText.map { $0 == right.numberText } ?? false }
        // Without one of its values, the inputs of a control are all alike.
        if isStray(left) || isStray(right) { return false }
        guard left != .null, right != .null, let input = ControlInput(left, for: self) else { return false }
        return input == ControlInput(right, for: self)
    }
}

extension SettingsBundle.Choice {
    /// The identifier of the value in forms, whatever the other choices are.
    var id: String { Fingerprint.of(value.line) }
}
