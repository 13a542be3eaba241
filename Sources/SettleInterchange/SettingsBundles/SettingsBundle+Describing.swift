import Settle

extension SettingsBundle {
    /// Describes declared settings, so that ``write(to:)`` creates a `Settings.bundle` from them.
    ///
    /// ```swift
    /// let bundle = SettingsBundle(describing: store.file.schema(), title: "Player", tables: ["de": german])
    /// try bundle.write(to: URL(filePath: "Settings.bundle"))
    /// ```
    ///
    /// A setting becomes
    ///
    /// - a switch, if it is a Boolean;
    /// - a choice, if its type or a rule lists its values, or if it is an integer in a range of at most 21;
    /// - a slider, if it is a number that may have a fraction, between two bounds;
    /// - a field, if its value is one line of text: strings, URLs, UUIDs, durations, dates in ISO 8601, and other
    ///   numbers. Patterns, ranges and lengths can't be expressed there: they are checked where the value is read;
    /// - a hidden field without a default, if it is a secret;
    /// - a title, if only its owner may write it, and it is not a secret.
    ///
    /// Rows are in the order of declaration. A nested group becomes a pane behind a row, or a section with its heading and
    /// footer, as its `GroupPresentation` says. The declaration's title, with the unit in parentheses, appears
    /// beside the setting, or else the words of its name; the help text appears below. Keys are the settings' keys with
    /// dots.
    ///
    /// Arrays, dictionaries, data, and values that a codec makes, can't be expressed: they are left out. ``findings``
    /// lists them, numbers and dates that a field turns into text, and settings that may be absent, since there is no
    /// way to remove a value.
    ///
    /// - Parameters:
    ///   - schema: The declarations.
    ///   - title: The program's display name.
    ///   - tables: For each language, as in ``Localization/language``, the texts with those of the declarations as
    ///     keys.
    public init(describing schema: SettingsSchema, title: String? = nil, tables: [String: StringTable] = [:]) {
        var describer = SchemaDescriber(schema, stringsTable: tables.isEmpty ? nil : "Root")
        describer.addAll()
        let panes = describer.panes()
        let localizations = tables.sorted { $0.key.precedesByBytes($1.key) }
            .map { Localization(language: $0.key, tables: ["Root": $0.value]) }
        self.init(
            title: title, root: panes[0], children: Array(panes.dropFirst()), localizations: localizations,
            findings: describer.findings)
    }
}

/// Sorts settings into the panes and sections of their groups.
private struct SchemaDescriber {
    private let schema: SettingsSchema
    private let declared: DeclaredSettings
    private let stringsTable: String?
    /// The panes, each before those behind its rows. The first one is that of all settings.
    private var described: [DescribedPane] = [DescribedPane(names: [], file: "Root", title: nil, parent: nil)]
    private var files: Set<String> = ["root", "info"]
    private(set) var findings: [SettingsBundle.Finding] = []

    init(_ schema: SettingsSchema, stringsTable: String?) {
        (self.schema, self.stringsTable) = (schema, stringsTable)
        declared = DeclaredSettings(schema)
    }

    mutating func addAll() {
        let entries = Dictionary(schema.settings.map { (SettingKey(stored: $0.key), $0) }) { first, _ in first }
        for key in declared.sorted(entries.keys) {
            if let entry = entries[key] { add(entry, at: key.components) }
        }
    }

    private mutating func add(_ entry: SettingsSchema.Entry, at names: [String]) {
        var setting = DescribedSetting(entry, key: names.joined(separator: "."), name: names.last ?? "")
        let specifier = setting.specifier()
        let group = Array(names.dropLast())
        let place = specifier == nil ? nil : pane(of: group)
        let heading = section(of: group)
        let index = place.flatMap { place in
            specifier.map { described[place].add($0, help: entry.help, of: group, heading) }
        }
        let file = place.map { described[$0].file + ".plist" } ?? ""
        findings += setting.remarks.map { SettingsBundle.Finding(.noForm, file: file, index: index, $0) }
    }

    /// Returns the index of the pane with a group's settings. It is created with those around it if necessary.
    private mutating func pane(of names: [String]) -> Int {
        if let place = described.firstIndex(where: { $0.isPane(of: names) }) { return place }
        let outer = Array(names.dropLast())
        let parent = pane(of: outer)
        let group = self.group(names)
        if group?.isSection == true { return parent }
        let title = group?.title ?? DescribedSetting.words(of: names.last ?? "")
        let file = newFile(names.joined(separator: "."))
        described.append(DescribedPane(names: names, file: file, title: title, parent: parent))
        let row = SettingsBundle.Specifier(.childPane(SettingsBundle.ChildPane(file: file)), title: title)
        let heading = section(of: outer)
        _ = described[parent].add(row, help: nil, of: outer, heading)
        return described.count - 1
    }

    private func group(_ names: [String]) -> DeclaredGroup? { SettingKey(components: names).flatMap(declared.group) }

    /// Returns the beginning of the section of a group's settings.
    private func section(of names: [String]) -> SettingsBundle.Specifier {
        guard let group = self.group(names), group.isSection else { return .sectionEnd }
        let title = group.title ?? DescribedSetting.words(of: names.last ?? "")
        return SettingsBundle.Specifier(
            .group(SettingsBundle.Group(footer: group.footer)), title: title.isEmpty ? nil : title)
    }

    /// Returns a name that every file system accepts, and that no other pane has.
    private mutating func newFile(_ name: String) -> String {
        let safe = name.utf8.prefix(100).map { byte in
            let isSafe = byte.isDigit || ("a"..."z").contains(Unicode.Scalar(byte | 0x20)) || "._-".utf8.contains(byte)
            return isSafe ? byte : UInt8(ascii: "_")
        }
        let stem = String(decoding: safe, as: UTF8.self)
        // A name of dots only would be a folder.
        let base = stem.hasPrefix(".") || stem.isEmpty ? "_" + stem : stem
        var file = base
        var number = 2
        while !files.insert(file.lowercased()).inserted {
            file = "\(base)-\(number)"
            number += 1
        }
        return file
    }

    /// Returns the panes, each before those to which its rows lead.
    func panes() -> [SettingsBundle.Pane] {
        var panes: [SettingsBundle.Pane] = []
        func add(_ index: Int) {
            let pane = described[index]
            panes.append(
                SettingsBundle.Pane(
                    file: pane.file, title: pane.title, stringsTable: stringsTable, specifiers: pane.specifiers))
            for inner in described.indices where described[inner].parent == index { add(inner) }
        }
        add(0)
        return panes
    }
}

/// Settings being converted to a pane.
private struct DescribedPane {
    let file: String
    let title: String?
    /// The index of the pane with the row that leads here.
    let parent: Int?
    private(set) var specifiers: [SettingsBundle.Specifier] = []
    private let names: [Name]
    /// The group of the section that is being filled.
    private var section: [Name]
    /// Whether the section has a help text, which belongs to one setting only.
    private var isHelp = false

    init(names: [String], file: String, title: String?, parent: Int?) {
        (self.names, section) = (names.map(Name.init), names.map(Name.init))
        (self.file, self.title, self.parent) = (file, title, parent)
    }

    func isPane(of names: [String]) -> Bool { self.names == names.map(Name.init) }

    /// - Parameters:
    ///   - names: The group of the setting, or of the row.
    ///   - heading: The beginning of that group's section.
    /// - Returns: The index of the specifier.
    mutating func add(
        _ specifier: SettingsBundle.Specifier, help: String?, of names: [String], _ heading: SettingsBundle.Specifier
    ) -> Int {
        let names = names.map(Name.init)
        let isFirst = names != section
        if isFirst { specifiers.append(heading) }
        if let help {
            let section = SettingsBundle.Specifier.Kind.group(SettingsBundle.Group(footer: help))
            // Without a footer of its own, a new section shows the help text below its heading.
            if isFirst, heading.kind == .group(SettingsBundle.Group()) {
                specifiers[specifiers.count - 1].kind = section
            } else {
                specifiers.append(SettingsBundle.Specifier(section))
            }
        } else if isHelp, !isFirst {
            specifiers.append(.sectionEnd)
        }
        (section, isHelp) = (names, help != nil)
        specifiers.append(specifier)
        return specifiers.count - 1
    }
}

extension SettingsBundle.Specifier {
    /// Ends a section, so that a help text appears below its own setting only.
    fileprivate static let sectionEnd = SettingsBundle.Specifier(.group(SettingsBundle.Group()))
}
