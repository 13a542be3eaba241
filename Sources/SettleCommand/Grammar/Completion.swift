import Settle
import SettleInterchange

/// The candidates for the unfinished word of a command line.
struct Completion {
    let context: Invocation.Context
    let table: VerbTable

    private var isTool: Bool { context.isTool }

    /// - Parameter words: The words after the program's name. The last one is unfinished, and may be empty.
    /// - Returns: Words that begin with it, each with its meaning, if known. Empty if the word may be a file.
    func candidates(for words: [String]) async -> [(word: String, meaning: String?)] {
        let (typed, before) = (words.last ?? "", words.dropLast())
        return await all(typed, before).filter { $0.0.hasPrefix(typed) && !$0.0.contains("\n") && !$0.0.contains("\t") }
            .map { (word: $0.0, meaning: $0.1) }
    }

    private func all(_ typed: String, _ before: ArraySlice<String>) async -> [(String, String?)] {
        guard let name = before.first else { return verbs }
        guard let verb = table[name] else { return [] }
        if verb.takesArguments {
            return await Completion(context: context, table: .defaults).all(typed, before.dropFirst())
        }
        let options = table.options(of: verb)
        if let last = before.last, options.contains(where: { $0.value != nil && $0.names.contains(last) }) { return [] }
        if typed.hasPrefix("-") {
            let flags = verb.takesValue ? ValueFlag.allCases.map { ($0.rawValue, Optional($0.help)) } : []
            return options.flatMap { option in option.names.map { ($0, Optional(option.help)) } } + flags
        }
        var operands: [String] = []
        var skipsNext = false
        for word in before.dropFirst() {
            if skipsNext {
                skipsNext = false
            } else if let option = options.first(where: { $0.names.contains(word) }) {
                skipsNext = option.value != nil
            } else if !word.hasPrefix("-") {
                operands.append(word)
            }
        }
        let isGlobal = before.contains { Verb.Option.global.names.contains($0) } && verb.hasDomain(isTool)
        if isGlobal { operands.insert(DomainAddress.globalName, at: 0) }
        let known = verb.operands(isTool: isTool)
        guard operands.count < known.count else { return await values(verb, operands) }
        switch known[operands.count].completion {
        case .nothing, .file: return []
        case .verb: return verbs
        case .words(let words): return words.map { ($0, nil) }
        case .domain: return domains
        case .key: return await keys(of: operands.first)
        }
    }

    private var verbs: [(String, String?)] { table.verbs.map { ($0.name, $0.summary) } }

    private var domains: [(String, String?)] {
        guard case .files(let directory) = context else { return [] }
        return (directory.names() + [DomainAddress.globalName]).map { ($0, nil) }
    }

    private func target(_ domain: String?) -> CommandTarget? { try? context.target(domain ?? "") }

    private func keys(of domain: String?) async -> [(String, String?)] {
        guard let target = target(domain), let declared = try? target.declared() else { return [] }
        let values = (try? await target.values()) ?? SettingTree()
        guard table.dialect != .defaults else { return values.root.keys.sorted().map { ($0, nil) } }
        let stored = values.leaves(within: declared).map(declared.declaredKey)
        return Set(stored + declared.all.map(\.key)).sorted().map { key in
            (key.description, declared[key].flatMap { $0.title ?? $0.words })
        }
    }

    /// Returns the values that a declared setting can have.
    private func values(_ verb: Verb, _ operands: [String]) async -> [(String, String?)] {
        guard verb.takesValue, let key = operands.last.flatMap({ SettingKey($0) }),
            let setting = (try? target(operands.first)?.declared())?[key]
        else { return [] }
        return setting.choices.map { ($0, nil) }
    }
}
