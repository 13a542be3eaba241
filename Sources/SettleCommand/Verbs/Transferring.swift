import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Verb {
    private static let form = Option(
        names: ["--as"], value: "FORM",
        help: "The form: \(Conversion.Format.names.map(\.name).joined(separator: ", ")).")
    private static let dryRun = Option(names: ["--dry-run"], help: "Show what would change, and change nothing.")
    private static let replaces = Option(names: ["--replace"], help: "Remove what the file does not have.")
    private static let from = Option(
        names: ["--from"], value: "KIND", help: "What the file is: userdefaults, archive or strings.")
    private static let file = Operand(name: "FILE", completion: .file)

    static let export = Verb(
        name: "export", scope: .domain, operands: [file.optional], options: [form],
        summary: "Writes all stored values to a file, or to standard output.",
        details:
            "An XML property list, unless the file's name ends in .json or --as says otherwise. Without secrets and what is its owner's.",
        action: { invocation in
            let subject = try invocation.subject()
            let path = invocation.operands.first ?? "-"
            let usual = path.hasSuffix(".json") ? Conversion.Format.json : .propertyList(.xml)
            let format = try invocation.arguments[form].map(Conversion.Format.named) ?? invocation.format ?? usual
            var values = try await subject.storedValues()
            if try !invocation.showsSecrets() {
                let kept = try subject.declared().all.filter { $0.isSecret || $0.isOwners }
                for setting in kept { values[setting.key] = nil }
            }
            let conversion = try Conversion(of: .dictionary(values.root), to: format)
            try invocation.write(conversion.data, to: path)
            for loss in conversion.losses { invocation.terminal.complain("\(loss)") }
        })

    static let `import` = Verb(
        name: "import", scope: .domain, operands: [file], options: [dryRun, replaces, .force, .author],
        summary: "Stores all values of a file, or of standard input for “-”.",
        details: "JSON or a property list in any form. Either everything is stored or nothing.",
        action: { invocation in
            let path = invocation.operands.first ?? "-"
            let document = try readDocument(try invocation.read(path), named: path)
            guard case .dictionary(let entries) = document.value else {
                throw CommandFailure(.refused, "\"\(path)\" has no dictionary. Nothing has changed.")
            }
            let mode: SettingsStore.ImportMode = invocation.has(replaces) ? .replace : .merge
            let (subject, values) = (try invocation.subject(), SettingTree(entries))
            if invocation.has(dryRun) { return try await invocation.showDifference(in: subject, to: values, mode) }
            try await invocation.replace(subject, with: values, mode: mode)
        })

    static let migrate = Verb(
        name: "migrate", scope: .domain, operands: [file], options: [from, dryRun, .force, .author],
        summary: "Stores what an older program has left: defaults, a keyed archive, or a table of strings.",
        details: """
            “userdefaults” is a property list of UserDefaults, whose keys are names with dots and all. “archive” is a file of \
            NSKeyedArchiver; its objects become dictionaries. “strings” is a .strings file.
            """,
        action: { invocation in
            let path = invocation.operands.first ?? "-"
            let values = try OldData.values(
                try invocation.read(path), named: path, kind: invocation.arguments[from] ?? "", invocation.terminal)
            let subject = try invocation.subject()
            if invocation.has(dryRun) { return try await invocation.showDifference(in: subject, to: values, .merge) }
            try await invocation.replace(subject, with: values, mode: .merge)
        })

    static let convert = Verb(
        name: "convert", scope: .tool, operands: [file, Operand(name: "OUTPUT", isOptional: true, completion: .file)],
        options: [form],
        summary: "Converts a property list or JSON, and says what the new form can't keep.",
        details: "The form is that of the output's extension, unless --as says otherwise.",
        action: { invocation in
            let (input, output) = (invocation.operands.first ?? "-", invocation.operands.dropFirst().first ?? "-")
            let usual: Conversion.Format =
                invocation.format ?? (output.hasSuffix(".plist") ? .propertyList(.xml) : .json)
            let format = try invocation.arguments[form].map(Conversion.Format.named) ?? usual
            let value = try readDocument(try invocation.read(input), named: input).value
            let conversion = try Conversion(of: value, to: format)
            try invocation.write(conversion.data, to: output)
            for loss in conversion.losses { invocation.terminal.complain("\(loss)") }
        })
}

extension Invocation {
    /// Stores values in one transaction, after they were checked against what is declared.
    func replace(_ subject: Subject, with values: SettingTree, mode: SettingsStore.ImportMode) async throws {
        let declared = try subject.declared()
        for key in values.leaves(within: declared) {
            if let value = values[key] { try check(value, at: key, declared) }
        }
        // A program's own store knows by itself what an import must leave alone.
        let kept = isTool && mode == .replace ? declared.all.filter { $0.isSecret || $0.isOwners } : []
        try await subject.writing { store in
            try await store.commit(by: author) {
                var values = values
                for setting in kept where values[setting.key] == nil {
                    values[setting.key] = try store.value(forKey: setting.key)
                }
                try store.import(values, mode, unknownKeys: .keep, by: author)
            }
        }
    }

    /// Shows what values would change.
    fileprivate func showDifference(
        in subject: Subject, to values: SettingTree, _ mode: SettingsStore.ImportMode
    ) async throws {
        let declared = try subject.declared()
        let stored = try await subject.valuesIfAny()
        let incoming = Set(values.leaves(within: declared))
        let keys = incoming.union(mode == .replace ? stored.leaves(within: declared) : [])
        for key in keys.sorted() {
            let (old, new) = (stored[key], values[key])
            guard old != new else { continue }
            func spelled(_ value: SettingValue) -> String { declared.isSecret(key) ? redaction : value.line }
            if let old { try terminal.say("- \(key) = \(spelled(old))", .red) }
            if let new {
                try terminal.say("+ \(key) = \(spelled(new))", .green)
                if let refusal = declared[key]?.refusal(of: new) {
                    terminal.complain("It would be refused. \(refusal)")
                }
            }
        }
    }
}

/// What older programs have left, as settings.
private enum OldData {
    static func values(
        _ data: Data, named name: String, kind: String, _ terminal: any CommandTerminal
    ) throws -> SettingTree {
        switch kind {
        case "userdefaults":
            guard case .dictionary(let entries) = try readDocument(data, named: name).value else {
                throw noDictionary(name)
            }
            return SettingTree(entries)
        case "archive":
            let contents = try KeyedArchive(data).contents()
            for finding in contents.findings { terminal.complain("\(finding)") }
            guard let tree = contents.tree() else { throw noDictionary(name) }
            return tree
        case "strings":
            let table = try StringTable.read(data).table
            var entries = SettingValue.Entries()
            for entry in table.entries { entries[entry.key] = .string(entry.value) }
            return SettingTree(entries)
        default: throw CommandFailure(.usage, "Say what the file is: --from userdefaults, archive or strings.")
        }
    }

    private static func noDictionary(_ name: String) -> CommandFailure {
        CommandFailure(.refused, "\"\(name)\" has no dictionary. Nothing has changed.")
    }
}
