import Settle
import SettleInterchange

/// The verb that searches the settings of all programs.
enum FindVerb {
    private static let keys = Verb.Option(names: ["--keys"], help: "Search only the names of keys.")
    private static let values = Verb.Option(names: ["--values"], help: "Search only values.")

    static let find = Verb(
        name: "find", scope: .tool, operands: [Verb.Operand(name: "WORD")], options: [keys, values, .null],
        summary: "Finds the keys and values of all domains that contain a word or match a pattern.",
        details: """
            A word with * or ? is a pattern for a whole name or value: 'window*'. Case does not matter. With --null, each \
            match is a record of its domain, its key and its value.
            """,
        action: { invocation in
            guard case .files(let directory) = invocation.context, let word = invocation.operands.first else { return }
            guard !invocation.has(keys) || !invocation.has(values) else {
                throw CommandFailure(.usage, "Choose “--keys” or “--values”.")
            }
            let showsSecrets = try invocation.showsSecrets()
            let isDefaults = invocation.isDefaults
            let search = Search(
                pattern: TextPattern(word, isWord: isDefaults), hasKeys: !invocation.has(values),
                hasValues: !invocation.has(keys))
            var found: SettingValue.Entries = [:]
            // All of them are checked before the first is written.
            var records: [[String]] = []
            for name in directory.names() + [DomainAddress.globalName] {
                // Skip unreadable domains.
                guard let address = try? directory.address(of: name, isApp: false, host: nil),
                    let values = try? address.values()
                else { continue }
                let shown = showsSecrets ? values : CommandTarget.file(address).hidingSecrets(in: values)
                let title = name == DomainAddress.globalName ? invocation.globalTitle : name
                // To `defaults`, a domain whose name matches does so with all its keys.
                let isWhole = isDefaults && search.pattern.matches(title)
                let matches = isWhole ? shown.root : shown.root.keeping { search.matches($1, at: .path($0)) }
                guard !matches.isEmpty else { continue }
                found[title] = .dictionary(matches)
                guard invocation.format == nil else { continue }
                guard !invocation.has(.null) else {
                    let matching = SettingTree(matches).records(within: DeclaredSettings([])) { key, value in
                        search.matchesName(in: key) || search.matches(value, at: key)
                    }
                    records += matching.map { [title] + $0 }
                    continue
                }
                let count = matches.count == 1 && !isDefaults ? "1 key" : "\(matches.count) keys"
                let text = invocation.text(of: .dictionary(matches))
                try invocation.terminal.sayAsDefaults(
                    "Found \(count) in domain '\(title.escaped())': \(text)", keepingLines: true)
            }
            if invocation.has(.null) { try invocation.terminal.showRecords(records) }
            if let format = invocation.format { try invocation.show(.dictionary(found), as: format) }
            guard found.isEmpty else { return }
            let message = "No domain, key, nor value containing '\(word)'"
            guard isDefaults else { throw CommandFailure(.absent, message) }
            invocation.terminal.complain(message)
        })
}

/// The criteria of a search.
private struct Search {
    let pattern: TextPattern
    let hasKeys: Bool
    let hasValues: Bool

    /// Returns whether the key, or a key or a text within the value, matches.
    func matches(_ value: SettingValue, at key: SettingKey) -> Bool {
        if matches(key) { return true }
        switch value {
        case .array(let elements): return elements.contains { matches($0, at: key) }
        case .dictionary(let entries):
            return entries.contains { matches($0.value, at: key.appending(component: $0.key)) }
        default: return hasValues && pattern.matches(DefaultsText.text(of: value))
        }
    }

    /// Returns whether one of the names of a key matches.
    func matchesName(in key: SettingKey) -> Bool { (key.parents + [key]).contains { matches($0) } }

    /// Returns whether the last name or the whole path matches.
    private func matches(_ key: SettingKey) -> Bool {
        hasKeys && (pattern.matches(key.name) || pattern.matches(key.description))
    }
}
