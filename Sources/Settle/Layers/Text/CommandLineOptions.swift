/// The options of a program, by the names that arguments may give them.
///
/// After one hyphen the name is the key itself. After two it may also be in kebab case: `--passcode-attempt-count` and
/// `--passcode.attempt-count` mean `passcode.attemptCount`. A flag may be negated, as in `--no-verbose`. A name that is
/// a key means that key, even if it has other meanings.
struct CommandLineOptions: Sendable {
    /// The meaning of a name.
    struct Match: Sendable, Equatable {
        let option: CommandLineOption
        var isNegated = false
    }

    private var exact: [Name: Match] = [:]
    private var loose: [Name: [Match]] = [:]

    init(_ options: some Sequence<CommandLineOption>) {
        for option in options { insert(option) }
    }

    /// Adds an option, replacing one of another kind for its key: a registered key may be declared later.
    mutating func insert(_ option: CommandLineOption) {
        if let known = exact[Name(option.key.description)]?.option {
            if known.kind == option.kind { return }
            for name in loose.keys { loose[name]?.removeAll { $0.option.key == option.key } }
        }
        exact[Name(option.key.description)] = Match(option: option)
        for name in Set([option.key.kebabSpelling, option.key.dottedKebabSpelling]) {
            loose[Name(name), default: []].append(Match(option: option))
        }
        guard option.kind == .flag else { return }
        let spellings = [option.key.description, option.key.kebabSpelling, option.key.dottedKebabSpelling]
        for name in Set(spellings) {
            loose[Name("no-\(name)"), default: []].append(Match(option: option, isNegated: true))
        }
    }

    /// Returns the meaning of `-name`.
    func matches(short name: String) -> [Match] { exact[Name(name)].map { [$0] } ?? [] }

    /// Returns the possible meanings of `--name`. More than one if the name is ambiguous.
    func matches(long name: String) -> [Match] {
        let matches = matches(short: name)
        return matches.isEmpty ? loose[Name(name)] ?? [] : matches
    }
}
