/// The verb that takes the arguments of the command `defaults` as they are in scripts.
enum DefaultsVerb {
    static let name = "defaults"

    static let defaults = Verb(
        name: name, scope: .tool,
        summary: "Works like Apple's “defaults”, with its arguments, output and exit codes.",
        details: """
            For scripts: alias defaults='settle defaults', or a link named “defaults” to this program. A key is one name, \
            dots included, unless the program has declared the setting. A new domain is a property list. “settle defaults \
            help” lists its verbs.
            """,
        takesArguments: true,
        action: { invocation in
            guard case .files(let directory) = invocation.context else { return }
            do {
                try await CommandRun(program: name, terminal: invocation.terminal)
                    .perform(invocation.arguments.value, .files(directory.withPropertyLists), of: .defaults)
            } catch {
                let failure = CommandFailure(error)
                throw CommandFailure(failure.code == .usage ? .misused : .absent, lines: failure.lines)
            }
        })
}

extension VerbTable {
    /// The verbs of `defaults`.
    static var defaults: VerbTable {
        let verbs = [
            ReadVerbs.read, ReadVerbs.readType, WriteVerbs.write, WriteVerbs.rename, WriteVerbs.delete,
            DocumentVerbs.`import`, DocumentVerbs.export, ReadVerbs.domains, FindVerb.find, HelpVerbs.help,
        ]
        return VerbTable([Group(title: "Verbs", verbs: verbs)], isTool: true, dialect: .defaults)
    }
}
