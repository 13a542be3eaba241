import Settle
import SettleInterchange

/// Verbs that move settings to and from documents.
enum DocumentVerbs {
    private static let form = Verb.Option(
        names: ["--as"], value: "FORM",
        help: "The form: \(DocumentConversion.Format.names.map(\.name).joined(separator: ", ")).")
    private static let dryRun = Verb.Option(names: ["--dry-run"], help: "Show what would change, and change nothing.")
    private static let replaces = Verb.Option(names: ["--replace"], help: "Remove values that the file does not have.")
    private static let from = Verb.Option(
        names: ["--from"], value: "KIND", help: "The kind of file: userdefaults, archive or strings.")
    private static let duplicateKeys = Verb.Option(
        names: ["--duplicate-keys"], value: "WHICH",
        help: "The value to use if a file has a key twice: first or last. Without this option, the file is refused.")
    private static let file = Verb.Operand(name: "FILE", completion: .file)

    static let export = Verb(
        name: "export", scope: .domain, operands: [file.optional], options: [form],
        summary: "Writes all stored values to a file, or to standard output.",
        details: """
            A file is a binary property list, as with “defaults”, and standard output an XML one, unless the file's name ends \
            in .json or --as says otherwise. An existing file is replaced, and keeps its permissions; a link to it stays. A pipe \
            or a device is written to. Without secrets and what is its owner's; with --show-secrets, on a terminal only, \
            with both.
            """,
        action: { invocation in
            let target = try invocation.target()
            let named = invocation.operands.first ?? "-"
            let path = DocumentFile(named).isOutput ? "-" : named
            guard path == "-" || !invocation.has(.secrets) else {
                throw CommandFailure(.unavailable, "Secrets are shown on a terminal only, not in a file or a pipe.")
            }
            let usual: DocumentConversion.Format =
                path.hasSuffix(".json") && !invocation.isDefaults ? .json : .propertyList(path == "-" ? .xml : .binary)
            let asked = try invocation.arguments[form].map(DocumentConversion.Format.named)
            let format = asked ?? invocation.format ?? usual
            var values = try await target.storedValues()
            if try !invocation.showsSecrets() { values = try target.declared().withoutProtected(values) }
            let conversion = try DocumentConversion(of: .dictionary(values.root), to: format)
            try invocation.write(conversion, as: format, to: path)
        })

    static let `import` = Verb(
        name: "import", scope: .domain, operands: [file],
        options: [dryRun, replaces, duplicateKeys, .force, .author, .confirmWithin],
        summary: "Stores all values of a file, or of standard input for “-”.",
        details: "JSON or a property list in any form. Either everything is stored or nothing.",
        action: { invocation in
            let path = invocation.operands.first ?? "-"
            let document = try readDocument(
                try invocation.read(path), named: path, duplicateKeys: try counting(invocation))
            guard case .dictionary(let entries) = document.value else {
                throw CommandFailure(.refused, "“\(path)” has no dictionary. Nothing has changed.")
            }
            let mode: SettingsStore.ImportMode = invocation.has(replaces) ? .replace : .merge
            let (target, values) = (try invocation.target(), SettingTree(entries))
            if invocation.has(dryRun) { return try await invocation.showDifference(in: target, to: values, mode) }
            try await invocation.replace(target, with: values, mode: mode)
        })

    static let migrate = Verb(
        name: "migrate", scope: .domain, operands: [file],
        options: [from, dryRun, duplicateKeys, .force, .author, .confirmWithin],
        summary: "Imports the settings of an older program: defaults, a keyed archive, or a table of strings.",
        details: """
            “userdefaults” is a property list of UserDefaults, whose keys are names with dots and all. “archive” is a file of \
            NSKeyedArchiver; its objects become dictionaries. “strings” is a .strings file.

            Of a declared setting, the name may be the key with its dots, and its value is converted to what is declared.
            """,
        action: { invocation in
            let path = invocation.operands.first ?? "-"
            let old = try LegacyFile.values(
                try invocation.read(path), named: path, kind: invocation.arguments[from] ?? "",
                duplicateKeys: try counting(invocation), invocation.terminal)
            let target = try invocation.target()
            let values = LegacyFile.settings(of: old, try target.declared())
            if invocation.has(dryRun) { return try await invocation.showDifference(in: target, to: values, .merge) }
            try await invocation.replace(target, with: values, mode: .merge)
        })

    static let convert = Verb(
        name: "convert", scope: .tool,
        operands: [file, Verb.Operand(name: "OUTPUT", isOptional: true, completion: .file)],
        options: [form, duplicateKeys],
        summary: "Converts a property list or JSON, and reports what the new form can't hold.",
        details: "The output's extension determines the form, unless --as gives one.",
        action: { invocation in
            let (input, output) = (invocation.operands.first ?? "-", invocation.operands.dropFirst().first ?? "-")
            let usual: DocumentConversion.Format =
                invocation.format ?? (output.hasSuffix(".plist") ? .propertyList(.xml) : .json)
            let format = try invocation.arguments[form].map(DocumentConversion.Format.named) ?? usual
            let document = try readDocument(
                try invocation.read(input), named: input, duplicateKeys: try counting(invocation))
            try invocation.write(try DocumentConversion(of: document.value, to: format), as: format, to: output)
        })

    /// Returns which value of a key counts.
    private static func counting(_ invocation: Invocation) throws(CommandFailure) -> PropertyList.DuplicateKeys {
        switch invocation.arguments[duplicateKeys] {
        case nil: return .refused
        case "first"?: return .first
        case "last"?: return .last
        default: throw CommandFailure(.usage, "The value of “--duplicate-keys” must be first or last.")
        }
    }
}

extension Invocation {
    /// Stores values in one transaction, after checking them against the declarations.
    func replace(_ target: CommandTarget, with values: SettingTree, mode: SettingsStore.ImportMode) async throws {
        let declared = try target.declared()
        for key in values.leaves(within: declared) {
            if let value = values[key] { try check(value, at: key, declared) }
        }
        // A program's own store knows which settings an import must leave alone.
        let kept =
            isTool && mode == .replace
            ? declared.all.filter { ($0.isSecret || $0.isOwners) && declared.value(of: $0, in: values) == nil } : []
        let reported = try await target.writing { store in
            try await commit(to: store, declared) {
                let own =
                    switch target {
                    case .file(let address): try address.contents().tree
                    case .program: SettingTree()
                    }
                var values = declared.respelled(values, as: own)
                for key in kept.flatMap({ declared.spellings(of: $0) }) where own[key] != nil { values[key] = own[key] }
                try store.file.import(values, mode, unknownKeys: .keep, author: author)
                return kept.filter { declared.value(of: $0, in: own) != nil }
            }
        }
        reportKept(reported)
    }
}
