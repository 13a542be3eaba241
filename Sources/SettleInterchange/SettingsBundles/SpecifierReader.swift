import Settle

/// Reads one dictionary of a bundle, and finds the problems with it.
struct SpecifierReader {
    let entries: SettingValue.Entries
    private let file: String
    private let index: Int?
    private(set) var findings: [SettingsBundle.Finding] = []

    init(_ entries: SettingValue.Entries, file: String, index: Int?) {
        (self.entries, self.file, self.index) = (entries, file, index)
    }

    mutating func find(_ kind: SettingsBundle.Finding.Kind, _ reason: String) {
        findings.append(SettingsBundle.Finding(kind, file: file, index: index, reason))
    }

    /// - Returns: `nil` for a specifier that can't be shown.
    mutating func read() -> SettingsBundle.Specifier? {
        guard let type = text("Type") else {
            find(.missingKey, "“Type” is missing. The specifier is left out.")
            return nil
        }
        switch type {
        case "PSGroupSpecifier": return specifier(.group(SettingsBundle.Group(footer: text("FooterText"))))
        case "PSTextFieldSpecifier": return readTextField { .textField($0) }
        case "PSTitleValueSpecifier": return readTitleValue()
        case "PSToggleSwitchSpecifier": return readToggle()
        case "PSSliderSpecifier": return readSlider()
        case "PSMultiValueSpecifier": return readMultiValue()
        case "PSRadioGroupSpecifier": return readRadioGroup()
        case "PSChildPaneSpecifier": return readChildPane()
        case "IASKTextViewSpecifier": return readTextField { .textView($0) }
        case "IASKDatePickerSpecifier": return readDatePicker()
        case "IASKOpenURLSpecifier": return readLink()
        case "IASKMailComposeSpecifier": return readMailDraft()
        case "IASKButtonSpecifier": return specifier(.button)
        default:
            find(.unknownType, "The type “\(Self.shortened(type))” is not known. The specifier is left out.")
            return nil
        }
    }

    mutating func specifier(
        _ kind: SettingsBundle.Specifier.Kind, key: String? = nil, defaultValue: SettingValue? = nil
    ) -> SettingsBundle.Specifier {
        var specifier = SettingsBundle.Specifier(
            kind, key: key, title: text("Title"), defaultValue: defaultValue, idioms: idioms())
        specifier.unknown = entries.without(BundleKeys.ofSpecifier(kind))
        return specifier
    }
}

extension SpecifierReader {
    private mutating func readTextField(
        _ kind: (SettingsBundle.TextField) -> SettingsBundle.Specifier.Kind
    ) -> SettingsBundle.Specifier? {
        guard let key = requiredKey() else { return nil }
        let field = SettingsBundle.TextField(
            isSecure: bool("IsSecure"), keyboard: named("KeyboardType", otherwise: .alphabet),
            autocapitalization: named("AutocapitalizationType", otherwise: .none),
            autocorrection: named("AutocorrectionType", otherwise: .byDefault))
        return specifier(kind(field), key: key, defaultValue: scalar("DefaultValue"))
    }

    private mutating func readTitleValue() -> SettingsBundle.Specifier? {
        let key = key()
        let value = scalar("DefaultValue")
        if key == nil {
            guard value != nil else {
                find(.missingKey, "“Key” and “DefaultValue” are missing. The specifier is left out.")
                return nil
            }
            find(.missingKey, "“Key” is missing. The title always has its default.")
        } else if value == nil {
            find(.missingKey, "“DefaultValue” is missing. The title is empty while nothing is stored.")
        }
        let hasChoices = entries["Values"] != nil || entries["Titles"] != nil
        let choices = hasChoices ? choices() : []
        return specifier(.titleValue(SettingsBundle.TitleValue(choices: choices)), key: key, defaultValue: value)
    }

    private mutating func readToggle() -> SettingsBundle.Specifier? {
        guard let key = requiredKey() else { return nil }
        let toggle = SettingsBundle.Toggle(
            trueValue: scalar("TrueValue") ?? .bool(true), falseValue: scalar("FalseValue") ?? .bool(false))
        let value = scalar("DefaultValue")
        if toggle.trueValue == toggle.falseValue {
            find(.wrongValue, "“TrueValue” and “FalseValue” are the same. The switch does not move.")
        }
        if let value {
            if toggle.state(of: value) == nil {
                find(
                    .defaultValue,
                    "“DefaultValue” is neither of the two values. The switch is off while nothing is stored.")
            }
        } else {
            find(.missingKey, "“DefaultValue” is missing. The switch is off while nothing is stored.")
        }
        return specifier(.toggle(toggle), key: key, defaultValue: value)
    }

    private mutating func readSlider() -> SettingsBundle.Specifier? {
        guard let key = requiredKey() else { return nil }
        var minimum = number("MinimumValue", otherwise: 0)
        var maximum = number("MaximumValue", otherwise: max(1, minimum + 1))
        if minimum > maximum {
            find(.wrongValue, "“MinimumValue” is greater than “MaximumValue”. They are swapped.")
            (minimum, maximum) = (maximum, minimum)
        }
        let slider = SettingsBundle.Slider(
            minimum: minimum, maximum: maximum, minimumImage: text("MinimumValueImage"),
            maximumImage: text("MaximumValueImage"))
        let value = scalar("DefaultValue")
        checkDefault(value, of: slider)
        return specifier(.slider(slider), key: key, defaultValue: value)
    }

    private mutating func checkDefault(_ value: SettingValue?, of slider: SettingsBundle.Slider) {
        guard let value else {
            return find(
                .missingKey, "“DefaultValue” is missing. The slider is at its lowest value while nothing is stored.")
        }
        guard let number = value.looseDouble else {
            return find(
                .defaultValue,
                "“DefaultValue” is not a number. The slider is at its lowest value while nothing is stored.")
        }
        if !(slider.minimum...slider.maximum).contains(number) {
            find(.defaultValue, "“DefaultValue” is out of the range. The slider is at the nearest end of it.")
        }
    }

    private mutating func readMultiValue() -> SettingsBundle.Specifier? {
        guard let (key, choices, value) = readChoice() else { return nil }
        let kind = SettingsBundle.MultiValue(choices: choices, isSortedByTitle: bool("DisplaySortedByTitle"))
        return specifier(.multiValue(kind), key: key, defaultValue: value)
    }

    private mutating func readRadioGroup() -> SettingsBundle.Specifier? {
        guard let (key, choices, value) = readChoice() else { return nil }
        let kind = SettingsBundle.RadioGroup(
            choices: choices, footer: text("FooterText"), isSortedByTitle: bool("DisplaySortedByTitle"))
        return specifier(.radioGroup(kind), key: key, defaultValue: value)
    }

    private mutating func readChoice() -> (key: String, choices: [SettingsBundle.Choice], value: SettingValue?)? {
        guard let key = requiredKey() else { return nil }
        let choices = choices()
        guard !choices.isEmpty else {
            find(.missingKey, "There are no values with titles. The specifier is left out.")
            return nil
        }
        let value = scalar("DefaultValue")
        if let value {
            if choices.first(matching: value) == nil {
                find(
                    .defaultValue,
                    "“DefaultValue” is not one of the values. Nothing is chosen while nothing is stored.")
            }
        } else {
            find(.missingKey, "“DefaultValue” is missing. Nothing is chosen while nothing is stored.")
        }
        return (key, choices, value)
    }

    private mutating func readChildPane() -> SettingsBundle.Specifier? {
        guard let file = text("File") else {
            find(.missingKey, "“File” is missing. The row is left out.")
            return nil
        }
        return specifier(.childPane(SettingsBundle.ChildPane(file: file)))
    }
}
