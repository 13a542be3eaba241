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
    /// - a slider, if it is any other number between two bounds;
    /// - a field, if its value is one line of text: strings, URLs, UUIDs, durations, dates in ISO 8601, and other
    ///   numbers. Patterns, ranges and lengths can't be expressed there: they are checked where the value is read;
    /// - a hidden field without a default, if it is a secret. &
    /// - a title, if only its owner may write it, and it is not a secret.
    ///
    /// A nested group becomes a pane behind a row. The declaration's title, with the unit in parentheses, appears
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
        var describer = SchemaDescriber(stringsTable: tables.isEmpty ? nil : "Root")
        for entry in schema.settings { describer.add(entry) }
        let panes = describer.panes()
        let localizations = tables.sorted { $0.key.precedesByBytes($1.key) }
            .map { Localization(language: $0.key, tables: ["Root": $0.value]) }
        self.init(
            title: title, root: panes[0], children: Array(panes.dropFirst()), localizations: localizations,
            findings: describer.findings)
    }
}

/// Sorts settings into the panes of their groups.
private struct SchemaDescriber {
    private let stringsTable: String?
    /// The groups, each before its nested groups. The first one is that of all settings.
    private var groups: [DescribedGroup] = [DescribedGroup(names: [], file: "Root")]
    private var files: Set<String> = ["root", "info"]
    private(set) var findings: [SettingsBundle.Finding] = []

    init(stringsTable: String?) { self.stringsTable = stringsTable }

    mutating func add(_ entry: SettingsSchema.Entry) {
        let names = SettingKey(stored: entry.key).components
        var described = DescribedSetting(entry, key: names.joined(separator: "."), name: names.last ?? "")
        let specifier = described.specifier()
        let place = specifier == nil ? nil : group(Array(names.dropLast()))
        let index = place.flatMap { place in specifier.map { groups[place].add($0, help: entry.help) } }
        let file = place.map { groups[$0].file + ".plist" } ?? ""
        findings += described.remarks.map { SettingsBundle.Finding(.noForm, file: file, index: index, $0) }
    }

    /// Returns the index of a group, which is created with its enclosing groups if necessary.
    private mutating func group(_ names: [String]) -> Int {
        if let place = groups.firstIndex(where: { $0.names.map(Name.init) == names.map(Name.init) }) { return place }
        let parent = group(Array(names.dropLast()))
        let file = newFile(names.joined(separator: "."))
        groups.append(DescribedGroup(names: names, file: file))
        let row = SettingsBundle.Specifier(
            .childPane(SettingsBundle.ChildPane(file: file)), title: DescribedSetting.words(of: names.last ?? ""))
        groups[parent].rows.append(row)
        return groups.count - 1
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
        func add(_ group: DescribedGroup) {
            let title = group.names.last.map(DescribedSetting.words)
            panes.append(
                SettingsBundle.Pane(
                    file: group.file, title: title, stringsTable: stringsTable, specifiers: group.specifiers))
            for inner in groups where !inner.names.isEmpty && inner.isDirectly(in: group) { add(inner) }
        }
        add(groups[0])
        return panes
    }
}

/// A group of settings being converted to a pane.
private struct DescribedGroup {
    let names: [String]
    let file: String
    private var settings: [SettingsBundle.Specifier] = []
    /// The rows that lead to its nested groups.
    var rows: [SettingsBundle.Specifier] = []
    private var hasFooter = false

    init(names: [String], file: String) { (self.names, self.file) = (names, file) }

    /// - Returns: The index of the specifier.
    mutating func add(_ specifier: SettingsBundle.Specifier, help: String?) -> Int {
        if let help {
            settings.append(SettingsBundle.Specifier(.group(SettingsBundle.Group(footer: help))))
        } else if hasFooter {
            settings.append(Self.sectionEnd)
        }
        hasFooter = help != nil
        settings.append(specifier)
        return settings.count - 1
    }

    /// The settings, followed by the rows.
    var specifiers: [SettingsBundle.Specifier] {
        settings + (hasFooter && !rows.isEmpty ? [Self.sectionEnd] : []) + rows
    }

    /// Ends a section, so that a help text appears below its own setting only.
    private static let sectionEnd = SettingsBundle.Specifier(.group(SettingsBundle.Group()))

    func isDirectly(in other: DescribedGroup) -> Bool {
        names.dropLast().map(Name.init) == other.names.map(Name.init)
    }
}
