import Settle

/// The names of the entries that a pane or a specifier reads into its properties.
enum BundleKeys {
    static let ofPane = ["PreferenceSpecifiers", "Title", "StringsTable", "ApplicationGroupContainerIdentifier"]

    static func ofSpecifier(_ kind: SettingsBundle.Specifier.Kind) -> [String] {
        switch kind {
        case .group: ofAll + ["FooterText"]
        case .textField, .textView:
            ofAll + ofValues + ["IsSecure", "KeyboardType", "AutocapitalizationType", "AutocorrectionType"]
        case .titleValue: ofAll + ofValues + ofChoices
        case .toggle: ofAll + ofValues + ["TrueValue", "FalseValue"]
        case .slider:
            ofAll + ofValues + ["MinimumValue", "MaximumValue", "MinimumValueImage", "MaximumValueImage"]
        case .multiValue: ofAll + ofValues + ofChoices + ["DisplaySortedByTitle"]
        case .childPane, .link: ofAll + ["File"]
        case .radioGroup: ofAll + ofValues + ofChoices + ["DisplaySortedByTitle", "FooterText"]
        case .datePicker: ofAll + ofValues + ["DatePickerMode"]
        case .mailDraft:
            ofAll + [
                "IASKMailComposeToRecipents", "IASKMailComposeCcRecipents", "IASKMailComposeBccRecipents",
                "IASKMailComposeSubject", "IASKMailComposeBody",
            ]
        case .button: ofAll
        }
    }

    private static let ofAll = ["Type", "Title", "SupportedUserInterfaceIdioms"]
    private static let ofValues = ["Key", "DefaultValue"]
    private static let ofChoices = ["Values", "Titles", "ShortTitles"]
}

extension SettingValue.Entries {
    /// Returns the entries without those of some names.
    func without(_ names: [String]) -> SettingValue.Entries {
        var others = self
        for name in names { others.removeValue(forKey: name) }
        return others
    }
}
