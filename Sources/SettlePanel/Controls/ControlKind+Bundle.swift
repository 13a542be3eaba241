import Settle
import SettleInterchange

extension ControlKind {
    /// Creates the kind that shows a specifier; `nil` for a specifier without a value.
    ///
    /// - Parameter declared: The type that a program declares for the key. The values then have that type, where a
    ///   bundle can only express them as text.
    init?(_ specifier: SettingsBundle.Specifier, for declared: ValueShape.Kind?) {
        func choices(_ choices: [SettingsBundle.Choice]) -> [SettingsBundle.Choice] {
            choices.map { .init(title: $0.title, shortTitle: $0.shortTitle, value: $0.value.converted(to: declared)) }
        }
        switch specifier.kind {
        case .group, .childPane, .link, .mailDraft, .button: return nil
        case .textField(let field): self = Self.field(field, declared)
        case .titleValue(let label): self = .label(label.choices)
        case .toggle(let toggle):
            self = .toggle(
                SettingsBundle.Toggle(
                    trueValue: toggle.trueValue.converted(to: declared),
                    falseValue: toggle.falseValue.converted(to: declared)))
        case .slider(let slider):
            self = .number(
                NumberInput(
                    isInteger: declared == .integer, minimum: .real(slider.minimum), maximum: .real(slider.maximum),
                    isSlider: true, minimumImage: slider.minimumImage, maximumImage: slider.maximumImage))
        case .multiValue(let list): self = .choice(choices(list.shownChoices), style: .select)
        case .datePicker: self = .date
        case .textView(let field):
            self = Self.field(field, declared)
            if case .text(var input) = self {
                input.hasLines = true
                self = .text(input)
            }
        case .radioGroup(let group): self = .choice(choices(group.shownChoices), style: .radio)
        }
    }

    private static func field(_ field: SettingsBundle.TextField, _ declared: ValueShape.Kind?) -> ControlKind {
        if field.isSecure { return .secret }
        switch declared {
        case .integer?: return .number(NumberInput(isInteger: true))
        case .number?: return .number(NumberInput(isInteger: false))
        case .date?: return .date
        case .duration?: return .duration
        default: return .text(TextInput(field))
        }
    }

    /// The control's values, as a JSON Schema.
    var schema: SettingValue.Entries {
        switch self {
        case .toggle(let toggle): return ["enum": .array([toggle.trueValue, toggle.falseValue])]
        case .choice(let choices, _): return ["enum": .array(choices.map(\.value))]
        case .number(let input):
            var schema: SettingValue.Entries = ["type": .string(input.isInteger ? "integer" : "number")]
            (schema["minimum"], schema["maximum"]) = (input.minimum, input.maximum)
            return schema
        case .text: return ["type": .string("string")]
        case .secret: return ["type": .string("string"), "writeOnly": .bool(true)]
        case .date: return ["type": .string("string"), "format": .string("date-time")]
        case .duration, .data, .list, .dictionary, .json, .label: return [:]
        }
    }
}

extension ControlKind.TextInput {
    /// Translates the schema of Apple's settings applications to HTML's attributes.
    fileprivate init(_ field: SettingsBundle.TextField) {
        switch field.keyboard {
        case .alphabet: break
        case .numbersAndPunctuation: keyboard = "text"
        case .numberPad: keyboard = "numeric"
        case .url: (keyboard, isCode) = ("url", true)
        case .emailAddress: (keyboard, isCode) = ("email", true)
        }
        capitalization =
            switch field.autocapitalization {
            case .none: "none"
            case .sentences: "sentences"
            case .words: "words"
            case .allCharacters: "characters"
            }
        isCorrected =
            switch field.autocorrection {
            case .byDefault: nil
            case .no: false
            case .yes: true
            }
    }
}
