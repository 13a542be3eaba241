import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of a bundle, built before one of them is written.
struct BundleFiles {
    private let bundle: SettingsBundle
    private var files: [BundlePath: [UInt8]] = [:]

    init(_ bundle: SettingsBundle) { self.bundle = bundle }

    consuming func all() throws(BundleFileError) -> [BundlePath: [UInt8]] {
        guard bundle.root.file == "Root" else { throw BundleFileError(reason: "The first pane must be “Root”.") }
        for pane in bundle.panes {
            try add(pane.file, ".plist", list(SpecifierWriter.list(of: pane), named: pane.file))
        }
        if let title = bundle.title {
            let info = SettingValue.dictionary([StringTable.titleKey: .string(title)])
            try add("Info", ".plist", list(info, named: "Info"))
        }
        for localization in bundle.localizations {
            for (name, table) in localization.tables {
                let folder = localization.language.isEmpty ? "" : localization.language + ".lproj/"
                try add(folder + name, ".strings", text(of: table, named: name))
            }
        }
        if let icon = bundle.icon {
            let scale = icon.scale == 1 ? "" : "@\(icon.scale)x"
            try add("Icon-Settings\(scale).png", "", [UInt8](icon.data))
        }
        for image in bundle.images { try add(image.file, "", [UInt8](image.data)) }
        return files
    }

    private mutating func add(_ name: String, _ ending: String, _ bytes: [UInt8]) throws(BundleFileError) {
        guard let path = BundlePath(name + ending) else {
            throw BundleFileError(reason: "“\(name)” is not a path within a bundle.")
        }
        if let other = files.updateValue(bytes, forKey: path), other != bytes {
            throw BundleFileError(reason: "Two files are named “\(path.text)”.")
        }
    }

    private func list(_ value: SettingValue, named name: String) throws(BundleFileError) -> [UInt8] {
        do throws(FormatError) {
            return [UInt8](try PropertyList(value).data(as: .xml))
        } catch {
            throw BundleFileError(reason: "“\(name).plist”: \(error)", underlying: error)
        }
    }

    private func text(of table: StringTable, named name: String) throws(BundleFileError) -> [UInt8] {
        do throws(FormatError) {
            return [UInt8](try table.data())
        } catch {
            throw BundleFileError(reason: "“\(name).strings”: \(error)", underlying: error)
        }
    }
}

/// Spells panes as property lists. Default values are left out, where Apple does not require them, and unknown entries
/// follow as they were read.
enum SpecifierWriter {
    static func list(of pane: SettingsBundle.Pane) -> SettingValue {
        var entries: SettingValue.Entries = ["PreferenceSpecifiers": .array(pane.specifiers.map(dictionary))]
        entries.set("Title", pane.titleOfRow == pane.title ? nil : pane.title)
        entries.set("StringsTable", pane.stringsTable)
        entries.set("ApplicationGroupContainerIdentifier", pane.groupContainer)
        entries.add(pane.unknown.without(BundleKeys.ofPane))
        return .dictionary(entries)
    }

    private static func dictionary(of specifier: SettingsBundle.Specifier) -> SettingValue {
        var entries = SettingValue.Entries()
        entries.set("Key", specifier.key)
        entries.set("Title", specifier.title)
        entries["DefaultValue"] = specifier.defaultValue
        entries["SupportedUserInterfaceIdioms"] = specifier.idioms.map { .array($0.map { .string($0.rawValue) }) }
        write(specifier.kind, to: &entries)
        entries.add(specifier.unknown.without(BundleKeys.ofSpecifier(specifier.kind)))
        return .dictionary(entries)
    }

    private static func write(_ kind: SettingsBundle.Specifier.Kind, to entries: inout SettingValue.Entries) {
        switch kind {
        case .group(let group):
            entries.set("Type", "PSGroupSpecifier")
            entries.set("FooterText", group.footer)
        case .textField(let field):
            entries.set("Type", "PSTextFieldSpecifier")
            write(field, to: &entries)
        case .titleValue(let value):
            entries.set("Type", "PSTitleValueSpecifier")
            if !value.choices.isEmpty { write(value.choices, isSorted: false, to: &entries) }
        case .toggle(let toggle):
            entries.set("Type", "PSToggleSwitchSpecifier")
            if toggle.trueValue != .bool(true) { entries["TrueValue"] = toggle.trueValue }
            if toggle.falseValue != .bool(false) { entries["FalseValue"] = toggle.falseValue }
        case .slider(let slider):
            entries.set("Type", "PSSliderSpecifier")
            entries["MinimumValue"] = .real(slider.minimum)
            entries["MaximumValue"] = .real(slider.maximum)
            entries.set("MinimumValueImage", slider.minimumImage)
            entries.set("MaximumValueImage", slider.maximumImage)
        case .multiValue(let value):
            entries.set("Type", "PSMultiValueSpecifier")
            write(value.choices, isSorted: value.isSortedByTitle, to: &entries)
        case .childPane(let child):
            entries.set("Type", "PSChildPaneSpecifier")
            entries.set("File", child.file)
        case .radioGroup(let group):
            entries.set("Type", "PSRadioGroupSpecifier")
            entries.set("FooterText", group.footer)
            write(group.choices, isSorted: group.isSortedByTitle, to: &entries)
        case .textView(let field):
            entries.set("Type", "IASKTextViewSpecifier")
            write(field, to: &entries)
        case .datePicker(let picker):
            entries.set("Type", "IASKDatePickerSpecifier")
            if picker.mode != .dateAndTime { entries.set("DatePickerMode", picker.mode.rawValue) }
        case .link(let link):
            entries.set("Type", "IASKOpenURLSpecifier")
            entries.set("File", link.url)
        case .mailDraft(let draft):
            entries.set("Type", "IASKMailComposeSpecifier")
            write(draft, to: &entries)
        case .button: entries.set("Type", "IASKButtonSpecifier")
        }
    }

    private static func write(_ draft: SettingsBundle.MailDraft, to entries: inout SettingValue.Entries) {
        for (name, recipients) in [
            ("IASKMailComposeToRecipents", draft.recipients), ("IASKMailComposeCcRecipents", draft.copyRecipients),
            ("IASKMailComposeBccRecipents", draft.blindCopyRecipients),
        ] where !recipients.isEmpty {
            entries[name] = .array(recipients.map(SettingValue.string))
        }
        entries.set("IASKMailComposeSubject", draft.subject)
        entries.set("IASKMailComposeBody", draft.body)
    }

    private static func write(_ field: SettingsBundle.TextField, to entries: inout SettingValue.Entries) {
        if field.isSecure { entries["IsSecure"] = .bool(true) }
        if field.keyboard != .alphabet { entries.set("KeyboardType", field.keyboard.rawValue) }
        if field.autocapitalization != .none {
            entries.set("AutocapitalizationType", field.autocapitalization.rawValue)
        }
        if field.autocorrection != .byDefault { entries.set("AutocorrectionType", field.autocorrection.rawValue) }
    }

    private static func write(
        _ choices: [SettingsBundle.Choice], isSorted: Bool, to entries: inout SettingValue.Entries
    ) {
        entries["Values"] = .array(choices.map(\.value))
        entries["Titles"] = .array(choices.map { .string($0.title) })
        if choices.contains(where: { $0.shortTitle != nil }) {
            entries["ShortTitles"] = .array(choices.map { .string($0.shortTitle ?? $0.title) })
        }
        if isSorted { entries["DisplaySortedByTitle"] = .bool(true) }
    }
}

extension SettingValue.Entries {
    fileprivate mutating func set(_ name: String, _ text: String?) { self[name] = text.map(SettingValue.string) }

    /// Adds entries whose names are still free.
    fileprivate mutating func add(_ others: SettingValue.Entries) {
        for (name, value) in others where self[name] == nil { self[name] = value }
    }
}
