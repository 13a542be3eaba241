/// The help of a command, from the table of its verbs.
struct HelpPage {
    let program: String
    let table: VerbTable

    private var isTool: Bool { table.isTool }

    /// Writes the help of one verb.
    func write(_ verb: Verb, to terminal: any CommandTerminal) throws(CommandFailure) {
        try terminal.say(verb.summary, .strong)
        try terminal.say("\nUsage: \(table.usage(of: verb, program: program))", keepingLines: true)
        // The details are about arguments that only this command has.
        if table.dialect == .settle {
            if !verb.aliases.isEmpty { try terminal.say("Also called \(verb.aliases.joined(separator: ", ")).") }
            if !verb.details.isEmpty { try terminal.say("\n\(verb.details)", keepingLines: true) }
        }
        try terminal.say("\nOptions:", .strong, keepingLines: true)
        var options = TextTable()
        for option in table.options(of: verb) {
            options.add(.init(text: "  \(option.spelled)"), .init(text: option.help))
        }
        if verb.takesValue {
            for flag in ValueFlag.allCases { options.add(.init(text: "  \(flag.rawValue)"), .init(text: flag.help)) }
        }
        try options.write(to: terminal)
    }

    /// Writes the help of all verbs, by groups.
    func writeAll(to terminal: any CommandTerminal) throws(CommandFailure) {
        try writeUsage(to: terminal)
        var verbs = TextTable()
        for group in table.groups where !group.verbs.isEmpty {
            verbs.add(.init(text: ""))
            verbs.add(.init(text: "\(group.title):", style: .strong))
            for verb in group.verbs { verbs.add(.init(text: "  \(verb.name)"), .init(text: verb.summary)) }
        }
        try verbs.write(to: terminal)
        guard table.dialect != .defaults else {
            return try terminal.say(
                "\nExit codes: 0 on success, 255 after a usage error, 1 otherwise.", keepingLines: true)
        }
        try terminal.say("\nExit codes:", .strong, keepingLines: true)
        var codes = TextTable()
        for code in table.exitCodes {
            codes.add(.init(text: "  \(code.rawValue)"), .init(text: code.meaning))
        }
        try codes.write(to: terminal)
        try terminal.say("\n“\(program) help VERB” explains a verb.", keepingLines: true)
    }

    /// Writes the verbs that are used most. With the error that follows, a screen of ten lines.
    func writeSummary(to terminal: any CommandTerminal) throws(CommandFailure) {
        try writeUsage(to: terminal)
        var verbs = TextTable()
        for name in ["list", "read", "write", "delete", "explain", "watch"] {
            if let verb = table[name] { verbs.add(.init(text: "  \(name)"), .init(text: verb.summary)) }
        }
        try verbs.write(to: terminal)
        try terminal.say("“\(program) help” lists all verbs, and “\(program) help VERB” explains one.")
    }

    private func writeUsage(to terminal: any CommandTerminal) throws(CommandFailure) {
        guard isTool else { return try terminal.say("Usage: \(program) VERB …") }
        let hosts = table.dialect == .defaults ? "[-currentHost | -host HOST] " : ""
        try terminal.say("Usage: \(program) \(hosts)VERB DOMAIN …")
        try terminal.say(
            "A domain is a program's name, such as com.example.app; -g for all programs; -app APP; or a path.")
    }
}

extension Verb.Option {
    /// The spelling, such as `--limit COUNT, -n COUNT`.
    var spelled: String {
        names.map { name in value.map { "\(name) \($0)" } ?? name }.joined(separator: ", ")
    }
}
