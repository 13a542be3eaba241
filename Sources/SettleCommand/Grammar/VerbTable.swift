/// The verbs of a command, in the order of the help.
struct VerbTable: Sendable {
    let groups: [Group]
    let isTool: Bool
    let dialect: Dialect

    /// Verbs under a title of the help.
    struct Group: Sendable {
        let title: String
        let verbs: [Verb]
    }

    /// The rules for arguments.
    enum Dialect: Sendable {
        case settle
        /// Those of the command `defaults`: a key is a name, and a word with hyphens may be a part of a value.
        case defaults
        /// Those of the lines of `batch`.
        case batch
    }

    /// - Parameter groups: All verbs; a program leaves out those of the tool.
    init(_ groups: [Group], isTool: Bool, dialect: Dialect = .settle) {
        self.groups = groups.map { group in
            let verbs = group.verbs.filter { verb in
                if case .tool = verb.scope { isTool } else { true }
            }
            return Group(title: group.title, verbs: verbs)
        }
        (self.isTool, self.dialect) = (isTool, dialect)
    }

    var verbs: [Verb] { groups.flatMap(\.verbs) }

    subscript(name: String) -> Verb? {
        // To `defaults`, case does not matter.
        let name = dialect == .defaults ? name.lowercased() : name
        return verbs.first { $0.name == name || $0.aliases.contains(name) }
    }

    /// Returns all options of a verb, including those of every verb.
    func options(of verb: Verb) -> [Verb.Option] {
        let ofDomain = verb.hasDomain(isTool) ? Verb.Option.ofDomain : []
        switch dialect {
        case .settle: return verb.options + ofDomain + Verb.Option.common
        case .defaults: return ofDomain
        case .batch: return verb.options.filter { $0 == .force || $0 == .literal } + [.json]
        }
    }

    /// Returns the usage of a verb, such as `settle read DOMAIN [KEY] [--json]`.
    func usage(of verb: Verb, program: String) -> String {
        verb.usage(of: program, isTool: isTool, showsOptions: dialect == .settle)
    }

    /// The exit codes that the command can have.
    var exitCodes: [ExitCode] { ExitCode.allCases.filter { isTool || $0 != .misused } }
}
