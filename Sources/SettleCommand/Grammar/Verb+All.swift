extension Verb {
    /// All verbs, in the order of the help.
    static let all: [Verb] = [
        .list, .read, .readType, .find, .domains, .explain, .watch,
        .write, .delete, .rename, .edit,
        .history, .undo,
        .export, .import, .convert, .migrate, .check, .schema,
        .completions, .help,
    ]

    /// Those of `settle`, or of a program's own command.
    static func all(isTool: Bool) -> [Verb] {
        all.filter { verb in
            if case .tool = verb.scope { isTool } else { true }
        }
    }

    static func named(_ name: String, isTool: Bool) -> Verb? {
        all(isTool: isTool).first { $0.name == name || $0.aliases.contains(name) }
    }
}
