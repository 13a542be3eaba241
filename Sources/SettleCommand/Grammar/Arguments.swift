import Settle

/// The arguments of a verb, sorted into operands, options and a value.
struct Arguments: Sendable {
    private(set) var verb: Verb
    private(set) var operands: [String] = []
    /// The values of the given options; empty strings for flags.
    private var options: [Verb.Option: String] = [:]
    /// The arguments of a value, with the flags for its type, or those of another command.
    private(set) var value: [String] = []

    subscript(option: Verb.Option) -> String? { options[option] }

    func has(_ option: Verb.Option) -> Bool { options[option] != nil }

    /// - Parameter words: The arguments, without the name of the program.
    /// - Throws: ``CommandFailure`` that describes the mistake and the usage.
    init(_ words: [String], of table: VerbTable, program: String) throws(CommandFailure) {
        let isTool = table.isTool
        var words = words[...]
        // As in `defaults -currentHost read …`.
        var leading: [String] = []
        while isTool, let first = words.first,
            let option = Verb.Option.ofDomain.first(where: { $0.names.contains(first) }),
            option == .currentHost || option == .host
        {
            let count = min(option.value == nil ? 1 : 2, words.count)
            leading += words.prefix(count)
            words = words.dropFirst(count)
        }
        guard let name = words.popFirst() else {
            throw CommandFailure(.usage, "A verb is missing. “\(program) help” lists them.")
        }
        let isHelp = name == "--help" || name == "-h"
        guard let verb = table[isHelp ? "help" : name] else {
            let near = Suggestion.nearest(to: name, among: table.verbs.map(\.name))
            throw CommandFailure(
                .usage, "There is no verb “\(name)”.\(Suggestion.question(near)) “\(program) help” lists the verbs.")
        }
        self.verb = verb
        if isHelp { return }
        words = leading + words
        do throws(CommandFailure) {
            try sort(words, by: table)
            try check(isTool: isTool)
        } catch {
            throw CommandFailure(.usage, "\(error) Usage: \(table.usage(of: verb, program: program))")
        }
    }

    /// Creates the arguments of a command known to be valid.
    init(_ verb: Verb, operands: [String]) {
        (self.verb, self.operands) = (verb, operands)
    }

    private mutating func sort(_ words: ArraySlice<String>, by table: VerbTable) throws(CommandFailure) {
        guard !verb.takesArguments else { return value = Array(words) }
        var words = words
        let (known, isTool) = (table.options(of: verb), table.isTool)
        var takesOptions = true
        while let word = words.popFirst() {
            // In `defaults`, options only name the domain.
            let mayBeOption = takesOptions && (table.dialect != .defaults || lacksDomain(isTool))
            if verb.takesCommand, !takesOptions {
                value.append(word)
                continue
            }
            let isValue = verb.takesValue && operands.count >= wanted(isTool)
            if mayBeOption, word == "--" {
                takesOptions = false
            } else if isValue, takesOptions, value.isEmpty, let flag = ValueFlag(rawValue: word) {
                // The elements of an array or a dictionary extend to the end of the command.
                value = [word] + (flag.isContainer ? words : words.prefix(1))
                words = flag.isContainer ? [] : words.dropFirst()
            } else if mayBeOption, word.isOption {
                try take(word, &words, known)
            } else if isValue {
                value.append(word)
            } else {
                operands.append(word)
            }
        }
    }

    /// Whether the domain is given by an option.
    private var hasDomainOption: Bool { has(.global) || has(.app) }

    private func lacksDomain(_ isTool: Bool) -> Bool {
        verb.hasDomain(isTool) && operands.isEmpty && !hasDomainOption
    }

    /// Returns the number of operands before a value.
    private func wanted(_ isTool: Bool) -> Int {
        verb.operands(isTool: isTool).count - (hasDomainOption && verb.hasDomain(isTool) ? 1 : 0)
    }

    private mutating func take(
        _ word: String, _ words: inout ArraySlice<String>, _ known: [Verb.Option]
    ) throws(CommandFailure) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let attached = word.hasPrefix("--") && parts.count == 2 ? String(parts[1]) : nil
        let name = attached == nil ? word : String(parts[0])
        guard let option = known.first(where: { $0.names.contains(name) }) else {
            let near = Suggestion.nearest(to: name, among: known.map(\.name))
            throw CommandFailure(.usage, "There is no option “\(name)”.\(Suggestion.question(near))")
        }
        guard option.value != nil else {
            guard attached == nil else { throw CommandFailure(.usage, "“\(name)” takes no value.") }
            options[option] = ""
            return
        }
        guard let given = attached ?? words.popFirst() else {
            throw CommandFailure(.usage, "The value of “\(name)” is missing.")
        }
        options[option] = given
    }

    private func check(isTool: Bool) throws(CommandFailure) {
        guard !has(.help) else { return }
        let given = operands.count + (verb.hasDomain(isTool) && hasDomainOption ? 1 : 0)
        let all = verb.operands(isTool: isTool)
        if given > all.count { throw CommandFailure(.usage, "“\(operands.last ?? "")” is one argument too many.") }
        let needed = all.prefix { !$0.isOptional }.count
        if given < needed { throw CommandFailure(.usage, "\(all[given].name) is missing.") }
        if verb.takesCommand, value.isEmpty { throw CommandFailure(.usage, "“--” and a command are missing.") }
        if has(.global), has(.app) { throw CommandFailure(.usage, "Give one domain.") }
        let formats = [Verb.Option.json, .propertyList, .null].filter(has)
        if formats.count > 1 {
            throw CommandFailure(.usage, "Choose one of \(formats.map { "“\($0.name)”" }.joined(separator: ", ")).")
        }
    }
}
