/// The arguments of a command line. Their meaning depends on the declared settings.
final class ArgumentsSource: DomainSource {
    private struct State: Sendable {
        /// The language domain asks every other one for the user's languages, which no group declares.
        var options = CommandLineOptions([CommandLineOption("AppleLanguages", .list)])
        var values: CommandLineValues

        init(_ arguments: [String]) { values = CommandLineValues(arguments, options: options) }
    }

    private let arguments: [String]
    private let state: LockedValue<State>

    /// - Parameter arguments: Without the program's name.
    init(_ arguments: [String]) {
        self.arguments = arguments
        state = LockedValue(State(arguments))
    }

    /// The arguments that no option has taken so far.
    var remaining: [String] { state.withLock { $0.values.remaining } }

    /// Reads the arguments again, with further options.
    ///
    /// - Returns: `nil` if there are no arguments.
    func declare(_ options: [CommandLineOption]) -> DomainContents? {
        guard !arguments.isEmpty else { return nil }
        return state.withLock { state in
            for option in options { state.options.insert(option) }
            state.values = CommandLineValues(arguments, options: state.options)
            return state.values.contents
        }
    }

    func load() throws(StorageError) -> DomainContents { state.withLock { $0.values.contents } }

    func place(of key: SettingKey) -> String { state.withLock { $0.values.places[key] } ?? "the arguments" }
}

extension CommandLineValues {
    fileprivate var contents: DomainContents { DomainContents(tree, isText: true, problems: problems) }
}
