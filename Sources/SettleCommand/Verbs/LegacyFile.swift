import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files of older programs, read as settings.
enum LegacyFile {
    static func values(
        _ data: Data, named name: String, kind: String, duplicateKeys: PropertyList.DuplicateKeys,
        _ terminal: any CommandTerminal
    ) throws -> SettingTree {
        switch kind {
        case "userdefaults":
            let document = try readDocument(data, named: name, duplicateKeys: duplicateKeys)
            guard case .dictionary(let entries) = document.value else { throw noDictionary(name) }
            return SettingTree(entries)
        case "archive":
            let contents = try reading(name) { try KeyedArchive(data).contents() }
            for finding in contents.findings { terminal.complain("\(finding)") }
            guard let tree = contents.tree() else { throw noDictionary(name) }
            return tree
        case "strings":
            let (table, _, duplicates) = try reading(name) { try StringTable.read(data) }
            for duplicate in duplicates {
                terminal.complain(
                    "“\(duplicate.key)” in line \(duplicate.line) was left out: the key occurs again below.")
            }
            var entries = SettingValue.Entries()
            for entry in table.entries { entries[entry.key] = .string(entry.value) }
            return SettingTree(entries)
        default: throw CommandFailure(.usage, "Give the kind of file: --from userdefaults, archive or strings.")
        }
    }

    /// Runs a closure, and names the file in its error.
    private static func reading<Contents>(
        _ name: String, _ read: () throws -> Contents
    ) throws(CommandFailure) -> Contents {
        do {
            return try read()
        } catch {
            throw CommandFailure(.refused, "“\(name)” can't be read. \(error)")
        }
    }

    private static func noDictionary(_ name: String) -> CommandFailure {
        CommandFailure(.refused, "“\(name)” has no dictionary. Nothing has changed.")
    }

    /// Returns the values under the keys of the corresponding settings, converted to their types. Unknown values stay
    /// unchanged.
    static func settings(of old: SettingTree, _ declared: DeclaredSettings) -> SettingTree {
        guard !declared.isEmpty else { return old }
        var tree = SettingTree()
        for (name, value) in old.root.sortedByKey() {
            // Old names have no parts, so a dot in one may be the dot of a path.
            let path = SettingKey(name).flatMap { declared[$0]?.key }
            tree[path ?? .path(name)] = value
        }
        // A name with dots may also lie within a dictionary.
        for setting in declared.all {
            guard let value = declared.value(of: setting, in: tree) else { continue }
            for key in declared.spellings(of: setting) where tree[key] != nil { tree[key] = nil }
            tree[setting.key] = setting.converted(value)
        }
        return tree
    }
}

extension DeclaredSetting {
    /// Converts a value of another type to the declared one, if possible.
    fileprivate func converted(_ value: SettingValue) -> SettingValue {
        guard check.problem(with: value) != nil else { return value }
        let candidates: [SettingValue] =
            switch value {
            case .string(let text): [DeclaredText.value(of: text, for: check)]
            // Old programs stored Boolean values as 0 and 1, and numbers as strings or the other way round.
            case .bool(let isOn): [.integer(isOn ? 1 : 0), .string(isOn ? "true" : "false")]
            case .integer, .real, .number:
                [
                    DeclaredText.value(of: DefaultsText.text(of: value), for: check),
                    .string(DefaultsText.text(of: value)),
                ]
            case .null, .date, .data, .array, .dictionary: []
            }
        return candidates.first { check.problem(with: $0) == nil } ?? value
    }
}
