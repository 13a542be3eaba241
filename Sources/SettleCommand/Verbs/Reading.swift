import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Verb {
    static let read = Verb(
        name: "read", aliases: ["get"], scope: .domain, operands: [.key.optional], options: [.literal],
        summary: "Shows the value of a key, or all values.",
        details: "A domain's stored values, or the values that are in force in the program.",
        action: { invocation in
            let subject = try invocation.subject()
            let (values, declared) = (try await subject.values(), try subject.declared())
            let shown = try invocation.showsSecrets() ? values : declared.hidingSecrets(in: values)
            guard let text = invocation.operands.first else { return try invocation.show(.dictionary(shown.root)) }
            let key = try invocation.key(text, declared, values)
            guard let value = shown[key] else { throw subject.missing(text) }
            try invocation.show(value)
        })

    static let readType = Verb(
        name: "read-type", scope: .domain, operands: [.key], options: [.literal],
        summary: "Shows the type of a value.",
        action: { invocation in
            let subject = try invocation.subject()
            let (values, declared) = (try await subject.values(), try subject.declared())
            let text = invocation.operands.first ?? ""
            let key = try invocation.key(text, declared, values)
            guard let value = values[key] else { throw subject.missing(text) }
            try invocation.terminal.say("Type is \(value.typeName)")
        })

    static let find = Verb(
        name: "find", scope: .tool, operands: [Operand(name: "WORD")],
        summary: "Shows all keys and values of all domains that have a word in them.",
        action: { invocation in
            guard case .files(let places) = invocation.target, let word = invocation.operands.first else { return }
            let showsSecrets = try invocation.showsSecrets()
            var found: SettingValue.Entries = [:]
            for name in places.names() + [DomainAddress.globalName] {
                // Of one that can't be read, the others are none the worse.
                guard let address = try? places.address(of: name, isApp: false, host: nil),
                    let values = try? address.values()
                else { continue }
                let shown = showsSecrets ? values : Subject(address).hidingSecrets(in: values)
                let matches = shown.root.keeping { $1.contains(word, named: $0) }
                guard !matches.isEmpty else { continue }
                found[name] = .dictionary(matches)
                guard invocation.format == nil else { continue }
                let count = matches.count == 1 ? "1 key" : "\(matches.count) keys"
                let text = DefaultsText.text(of: .dictionary(matches))
                try invocation.terminal.say("Found \(count) in domain '\(name)': \(text)")
            }
            if let format = invocation.format { return try invocation.show(.dictionary(found), as: format) }
            guard !found.isEmpty else {
                throw CommandFailure(.absent, "No domain, key, nor value containing '\(word)'")
            }
        })

    static let domains = Verb(
        name: "domains", scope: .tool,
        summary: "Shows the names of all domains.",
        action: { invocation in
            guard case .files(let places) = invocation.target else { return }
            let names = places.names()
            guard let format = invocation.format else {
                return try invocation.terminal.say(names.joined(separator: ", "))
            }
            try invocation.show(.array(names.map { .string($0) }), as: format)
        })

    static let explain = Verb(
        name: "explain", scope: .domain, operands: [.key], options: [.literal],
        summary: "Shows why a key has its value: what each domain has for it, and where.",
        action: { invocation in
            let subject = try invocation.subject()
            let declared = try subject.declared()
            let text = invocation.operands.first ?? ""
            let explanation = try await subject.reading { store in
                let key = try invocation.key(text, declared, store.effectiveValues)
                return store.explain(key)
            }
            guard !explanation.answers.isEmpty else { throw subject.missing(text) }
            let key = SettingKey(explanation.key)
            let setting = key.flatMap { declared[$0] }
            let isSecret = key.map { declared.isSecret($0) } ?? false
            guard invocation.format == nil else {
                let value = try SettingValueEncoder().encode(explanation)
                return try invocation.show(isSecret ? value.withoutValues : value)
            }
            let lines = isSecret && !explanation.isSecret ? "\(explanation.key) = \(redaction)" : "\(explanation)"
            try invocation.terminal.say(lines)
            for words in [setting?.title, setting?.words] {
                if let words { try invocation.terminal.say("  \(words)", .faint) }
            }
        })
}

extension Invocation {
    func key(_ text: String, _ declared: DeclaredSettings, _ values: SettingTree) throws(CommandFailure) -> SettingKey {
        try KeyChoice.key(text, isLiteral: has(.literal), declared, values)
    }
}

extension Subject {
    /// As `defaults` says it.
    func missing(_ key: String) -> CommandFailure {
        switch kind {
        case .file: CommandFailure(.absent, "The domain/default pair of (\(name), \(key)) does not exist")
        case .program:
            CommandFailure(
                .absent,
                "There is no setting “\(key)”."
                    + Suggestion.words(
                        Suggestion.nearest(to: key, among: (try? declared())?.all.map(\.key.description) ?? [])))
        }
    }

    /// The values with a mark in place of secrets. All of them are hidden if the schema can't be read.
    func hidingSecrets(in values: SettingTree) -> SettingTree {
        (try? declared())?.hidingSecrets(in: values) ?? SettingTree()
    }
}

extension SettingValue {
    /// Whether a word is in a key or a text, whatever the case of its letters.
    fileprivate func contains(_ word: String, named key: String) -> Bool {
        key.lowercased().contains(word.lowercased()) || contains(word)
    }

    private func contains(_ word: String) -> Bool {
        switch self {
        case .array(let elements): elements.contains { $0.contains(word) }
        case .dictionary(let entries): entries.contains { $0.value.contains(word, named: $0.key) }
        default: DefaultsText.text(of: self).lowercased().contains(word.lowercased())
        }
    }

    /// An explanation without what the domains have.
    fileprivate var withoutValues: SettingValue {
        switch self {
        case .dictionary(let entries):
            .dictionary(entries.keeping { name, _ in name != "value" }.mapping(\.withoutValues))
        case .array(let elements): .array(elements.map(\.withoutValues))
        default: self
        }
    }
}
