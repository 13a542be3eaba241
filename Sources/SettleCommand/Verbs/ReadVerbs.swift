import Settle
import SettleInterchange

/// Verbs that show values and their sources.
enum ReadVerbs {
    static let read = Verb(
        name: "read", aliases: ["get"], scope: .domain, isDomainOptional: true, operands: [.key.optional],
        options: [.literal, .null],
        summary: "Shows the value of a key, or all values.",
        details: """
            A domain's stored values, or the values that are in force in the program. Of “settle”, without a domain: all \
            domains. An element of an array has the key of the array and its index, from 0: list.0.name.
            """,
        action: { invocation in
            guard invocation.namesTarget else { return try await invocation.readAll() }
            let target = try invocation.target()
            let text = invocation.operands.first
            let (values, declared) = (try await target.values(isSought: text != nil), try target.declared())
            let shown = try invocation.showsSecrets() ? values : declared.hidingSecrets(in: values)
            guard let text else {
                guard invocation.has(.null) else { return try invocation.show(.dictionary(shown.root)) }
                return try invocation.terminal.showRecords(shown.records(within: declared))
            }
            let key = try invocation.storedKey(text, declared, values)
            guard let value = shown.value(at: key) else { throw target.missing(text) }
            guard invocation.has(.null) else { return try invocation.show(value) }
            try invocation.terminal.showRecords([[value.recordText]])
        })

    static let readType = Verb(
        name: "read-type", scope: .domain, operands: [.key], options: [.literal],
        summary: "Shows the type of a value.",
        action: { invocation in
            let target = try invocation.target()
            let (values, declared) = (try await target.values(isSought: true), try target.declared())
            let text = invocation.operands.first ?? ""
            let key = try invocation.storedKey(text, declared, values)
            guard let value = values.value(at: key) else { throw target.missing(text) }
            guard let format = invocation.format else {
                return try invocation.terminal.sayAsDefaults("Type is \(value.typeName)")
            }
            try invocation.show(.string(value.typeName), as: format)
        })

    static let domains = Verb(
        name: "domains", scope: .tool, options: [.null],
        summary: "Shows the names of all domains.",
        action: { invocation in
            guard case .files(let directory) = invocation.context else { return }
            let names = directory.names()
            guard !invocation.has(.null) else { return try invocation.terminal.showRecords(names.map { [$0] }) }
            guard let format = invocation.format else {
                return try invocation.terminal.sayAsDefaults(names.joined(separator: ", "))
            }
            try invocation.show(.array(names.map { .string($0) }), as: format)
        })

    static let explain = Verb(
        name: "explain", scope: .domain, operands: [.key], options: [.literal],
        summary: "Shows why a key has its value: the value in each domain, and its location.",
        action: { invocation in
            let (target, declared) = try invocation.settings()
            let text = invocation.operands.first ?? ""
            let explanation = try await target.reading { store in
                let key = try invocation.key(text, declared, store.keys.effectiveValues)
                return store.keys.explanation(forKey: key)
            }
            guard !explanation.answers.isEmpty else { throw target.missing(text) }
            let key = SettingKey(explanation.key)
            let setting = key.flatMap { declared.setting(at: $0) }
            let value = try SettingValueEncoder().encode(explanation)
            let shown = key.map { value.hidingSecrets(declared, at: $0) } ?? value
            guard invocation.format == nil else { return try invocation.show(shown) }
            let isChanged = shown != value
            let masked = isChanged ? try SettingValueDecoder().decode(Explanation.self, from: shown) : explanation
            // One by one: a key or the path of a file may have line breaks.
            for line in masked.lines { try invocation.terminal.say(line) }
            for words in [setting?.title, setting?.words] {
                if let words { try invocation.terminal.say("  \(words)", .faint) }
            }
        })
}

extension Invocation {
    func key(_ text: String, _ declared: DeclaredSettings, _ values: SettingTree) throws(CommandFailure) -> SettingKey {
        // In `defaults` all keys are names, and a program that has declared a path has no such name.
        let isName = isDefaults && SettingKey(text).flatMap { declared[$0] } == nil
        return try KeyArgument.key(text, isLiteral: has(.literal) || isName, declared, values)
    }

    /// Returns the key under which values have the value of a key: of a declared setting, a name with dots comes before
    /// the path.
    func storedKey(
        _ text: String, _ declared: DeclaredSettings, _ values: SettingTree
    ) throws(CommandFailure) -> SettingKey {
        let key = try key(text, declared, values)
        return has(.literal) ? key : declared.storedKey(of: key, in: values)
    }

    /// The name of the domain of all programs, as it is shown.
    var globalTitle: String { isDefaults ? "Apple Global Domain" : DomainAddress.globalName }
}

extension CommandTarget {
    /// Returns the message of `defaults` for a missing key.
    func missing(_ key: String) -> CommandFailure {
        switch self {
        case .file:
            CommandFailure(.absent, "The domain/default pair of (\(nameOfDefaults), \(key)) does not exist")
        case .program:
            CommandFailure(
                .absent,
                "There is no setting “\(key)”."
                    + Suggestion.question(
                        Suggestion.nearest(to: key, among: (try? declared())?.all.map(\.key.description) ?? [])))
        }
    }

    /// Returns the values with a mark in place of secrets. All values are hidden if the schema can't be read.
    func hidingSecrets(in values: SettingTree) -> SettingTree {
        (try? declared())?.hidingSecrets(in: values) ?? SettingTree()
    }
}

extension SettingValue {
    /// Returns an explanation without the secrets in the domains' values.
    fileprivate func hidingSecrets(_ declared: DeclaredSettings, at key: SettingKey) -> SettingValue {
        let isSecret = declared.isSecret(key)
        func hiding(_ value: SettingValue, isRoot: Bool = false) -> SettingValue {
            switch value {
            case .dictionary(var entries):
                if let answers = entries["answers"] { entries["answers"] = hiding(answers) }
                if isSecret {
                    entries["value"] = nil
                } else {
                    entries["value"] = entries["value"].map { declared.hidingSecrets(in: $0, at: key) }
                }
                if isSecret, isRoot { entries["isSecret"] = .bool(true) }
                return .dictionary(entries)
            case .array(let elements): return .array(elements.map { hiding($0) })
            default: return value
            }
        }
        return hiding(self, isRoot: true)
    }
}

extension Invocation {
    /// Shows the values of all domains, as `defaults read` does.
    fileprivate func readAll() async throws {
        guard case .files(let directory) = context else { return }
        let showsSecrets = try showsSecrets()
        var found: SettingValue.Entries = [:]
        var records: [[String]] = []
        for name in directory.names() + [DomainAddress.globalName] {
            do {
                let address = try directory.address(of: name, isApp: false, host: host)
                guard case let contents = try address.contents(), contents.outcome != .absent else { continue }
                let target = CommandTarget.file(address)
                let declared = try target.declared()
                let shown = showsSecrets ? contents.tree : declared.hidingSecrets(in: contents.tree)
                let title = name == DomainAddress.globalName ? globalTitle : name
                found[title] = .dictionary(shown.root)
                if has(.null) { records += shown.records(within: declared).map { [title] + $0 } }
            } catch {
                // Skip unreadable domains.
                terminal.complain("\(error)")
            }
        }
        if has(.null) { try terminal.showRecords(records) } else { try show(.dictionary(found)) }
    }
}
