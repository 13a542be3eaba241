import Settle

/// Verbs that explain the command.
enum HelpVerbs {
    private static let manual = Verb.Option(names: ["--man"], help: "Write a manual page for man(1).")

    static let help = Verb(
        name: "help", operands: [Verb.Operand(name: "VERB", isOptional: true, completion: .verb)], options: [manual],
        summary: "Explains the verbs, or one of them.",
        action: { invocation in
            if invocation.has(manual) {
                let page = ManualPage(program: invocation.program, table: invocation.table).text
                return try invocation.terminal.write(Array(page.utf8))
            }
            let page = HelpPage(program: invocation.program, table: invocation.table)
            guard let name = invocation.operands.first else { return try page.writeAll(to: invocation.terminal) }
            guard let verb = invocation.table[name] else {
                throw CommandFailure(.usage, "There is no verb “\(name)”.")
            }
            try page.write(verb, to: invocation.terminal)
        })

    static let completions = Verb(
        name: "completions",
        operands: [Verb.Operand(name: "SHELL", completion: .words(CompletionScript.Shell.allCases.map(\.rawValue)))],
        summary: "Writes a script that completes this command in a shell: bash, zsh or fish.",
        details: "It completes verbs, options, domains, keys and the values of enumerations.",
        action: { invocation in
            guard let shell = CompletionScript.Shell(rawValue: invocation.operands.first ?? "") else {
                throw CommandFailure(.usage, "A shell is bash, zsh or fish.")
            }
            try invocation.terminal.write(Array(CompletionScript(program: invocation.program).text(for: shell).utf8))
        })

    static let version = Verb(
        name: "version", aliases: ["--version"], scope: .tool, summary: "Shows the version of the command.",
        action: { try $0.terminal.say("\($0.program) \(SettingsStore.libraryVersion)") })
}
