/// The help of a command, from the table of its verbs.
struct HelpPage {
    let program: String
    let table: VerbTable

    private var isTool: Bool { table.isTool }

    /// Writes the help of one verb.
    func write(_ verb: Verb, to terminal: any CommandTerminal) throws(CommandFailure) {
        try terminal.say(verb.summary, .strong)
        try terminal.say("\nUsage: \(verb.usage(of: program, isTool: isTool))", keepingLines: true)
        if !verb.aliases.isEmpty { try terminal.say("Also called \(verb.aliases.joined(separator: ", ")).") }
        if !verb.details.isEmpty { try terminal.say("\n\(verb.details)", keepingLines: true) }
        try terminal.say("\nOptions:", .strong, keepingLines: true)
        var table = TextTable()
        for option in verb.options(isTool: isTool) {
            table.add(.init(text: "  \(option.spelled)"), .init(text: option.help))
        }
        if verb.takesValue {
            for flag in ValueFlag.allCases { table.add(.init(text: "  \(flag.rawValue)"), .init(text: flag.help)) }
        }
        try table.write(to: terminal)
    }

    /// Writes the help of all verbs.
    func writeAll(to terminal: any CommandTerminal) throws(CommandFailure) {
        try terminal.say("Usage: \(program) VERB\(isTool ? " DOMAIN" : "") …")
        if isTool {
            try terminal.say(
                "\nReads and writes the settings of any program. A domain is a program's name, such as com.example.app; -g "
                    + "for all programs; or a path.", keepingLines: true)
        }
        try terminal.say("\nVerbs:", .strong, keepingLines: true)
        var verbs = TextTable()
        for verb in table.verbs { verbs.add(.init(text: "  \(verb.name)"), .init(text: verb.summary)) }
        try verbs.write(to: terminal)
        try terminal.say("\nExit codes:", .strong, keepingLines: true)
        var codes = TextTable()
        for code in ExitCode.allCases {
            codes.add(.init(text: "  \(code.rawValue)"), .init(text: code.meaning))
        }
        try codes.write(to: terminal)
        try terminal.say("\n“\(program) help VERB” explains a verb.", keepingLines: true)
    }
}

extension Verb.Option {
    /// The spelling, such as `--limit COUNT, -n COUNT`.
    var spelled: String {
        names.map { name in value.map { "\(name) \($0)" } ?? name }.joined(separator: ", ")
    }
}
