import Settle
import SettleInterchange

/// How a setting is shown and changed.
indirect enum ControlKind: Sendable {
    /// A switch between two values.
    case toggle(SettingsBundle.Toggle)
    /// One of several values.
    case choice([SettingsBundle.Choice], style: ChoiceStyle)
    case number(NumberInput)
    case text(TextInput)
    /// Shows only whether it is set.
    case secret
    case date
    case duration
    /// Bytes, as base64.
    case data
    /// Elements of one kind, of which the order counts.
    case list(ControlKind)
    /// Values of one kind, by name.
    case dictionary(ControlKind)
    /// Anything, as JSON.
    case json
    /// Shown only; a value of the list has a title.
    case label([SettingsBundle.Choice])

    enum ChoiceStyle: Sendable, Hashable {
        case radio, select
    }

    /// How a number is typed.
    struct NumberInput: Sendable, Hashable {
        var isInteger: Bool
        var minimum: SettingValue?
        var maximum: SettingValue?
        var isSlider = false
        /// The names of images at the ends of a slider.
        var minimumImage: String?
        var maximumImage: String?
    }

    /// How a text is typed.
    struct TextInput: Sendable, Hashable {
        /// The type of an HTML input.
        var type = "text"
        /// Which keyboard a phone shows; a value of HTML's `inputmode`.
        var keyboard: String?
        /// A value of HTML's `autocapitalize`.
        var capitalization: String?
        /// Whether the browser may correct it; `nil` leaves that to the browser.
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

    /// Whether two values are shown alike. A file may have a number or a date in another way.
    func isSame(_ left: SettingValue, _ right: SettingValue) -> Bool {
        if left == right { return true }
        // A slider shows what is beyond its end at its end.
        if case .number = self { return left.numberText.map { $0 == right.numberText } ?? false }
        guard left != .null, right != .null, let input = ControlInput(left, for: self) else { return false }
        return input == ControlInput(right, for: self)
    }
}

extension SettingsBundle.Choice {
    /// Stands for the value in forms, whatever else there is to choose from.
    var id: String { Fingerprint.of(value.line) }
}
