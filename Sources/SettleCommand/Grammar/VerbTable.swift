/// The verbs of a command, in the order of the help.
struct VerbTable: Sendable {
    let verbs: [Verb]
    let isTool: Bool

    /// - Parameter verbs: All verbs; a program leaves out those of the tool.
    init(verbs: [Verb], isTool: Bool) {
        self.verbs = verbs.filter { verb in
            if case .tool = verb.scope { isTool } else { true }
        }
        self.isTool = isTool
    }

    subscript(name: String) -> Verb? { verbs.first { $0.name == name || $0.aliases.contains(name) } }
}
