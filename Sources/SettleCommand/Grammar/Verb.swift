import SettleInterchange

/// One action of a command: its name, its arguments, and its code. The parser, the help, the manual and the completions
/// use it.
struct Verb: Sendable {
    let name: String
    let aliases: [String]
    let scope: Scope
    /// Whether it works on all domains if none is given.
    let isDomainOptional: Bool
    let operands: [Operand]
    let options: [Option]
    /// A summary in one sentence.
    let summary: String
    /// Whether the arguments after the operands are a value, with flags for its type.
    let takesValue: Bool
    /// Whether the arguments after the operands are another command with its own options.
    let takesCommand: Bool
    /// Whether all arguments are left to the verb, as those of another command.
    let takesArguments: Bool
    let action: @Sendable (Invocation) async throws -> Void
    /// The change that the verb makes, alone or as a line of `batch`; `nil` if it can't be such a line.
    let change: Change?
    private let makeDetails: @Sendable () -> String

    /// Adds a change of the stored values to others. Called once more if others have written meanwhile.
    typealias Change = @Sendable (Invocation, CommandTarget, DeclaredSettings, inout ValueChanges) throws -> Void

    /// Further details, in paragraphs.
    var details: String { makeDetails() }

    /// - Parameter details: Built when it is shown, so that no other verb waits for its word lists.
    init(
        name: String, aliases: [String] = [], scope: Scope = .everywhere, isDomainOptional: Bool = false,
        operands: [Operand] = [],
        options: [Option] = [], summary: String, details: @autoclosure @escaping @Sendable () -> String = "",
        takesValue: Bool = false, takesCommand: Bool = false, takesArguments: Bool = false,
        action: @escaping @Sendable (Invocation) async throws -> Void, change: Change? = nil
    ) {
        (self.name, self.aliases, self.scope, self.operands) = (name, aliases, scope, operands)
        self.isDomainOptional = isDomainOptional
        (self.options, self.summary, self.takesValue, self.action) = (options, summary, takesValue, action)
        (self.takesCommand, self.takesArguments, self.change) = (takesCommand, takesArguments, change)
        makeDetails = details
    }

    /// Where the verb is available.
    enum Scope: Sendable {
        case everywhere
        /// Only in `settle`, which has domains.
        case tool
        /// In `settle`, where the first operand is a domain, and in programs, where there is none.
        case domain
    }

    /// An argument without a name.
    struct Operand: Sendable {
        let name: String
        var isOptional = false
        var completion = Completion.nothing
    }

    /// The candidates for an operand when a shell completes it.
    enum Completion: Sendable {
        case nothing, domain, key, file, verb
        case words([String])
    }

    /// An argument with a name.
    struct Option: Sendable, Hashable {
        /// The names with hyphens; the first one is shown.
        let names: [String]
        /// The name of its value; `nil` for a flag.
        let value: String?
        private let makeHelp: @Sendable () -> String

        var help: String { makeHelp() }

        var name: String { names[0] }

        /// - Parameter help: Built when it is shown.
        init(names: [String], value: String? = nil, help: @autoclosure @escaping @Sendable () -> String) {
            (self.names, self.value) = (names, value)
            makeHelp = help
        }

        static func == (left: Self, right: Self) -> Bool { left.names == right.names }

        func hash(into hasher: inout Hasher) { hasher.combine(names) }
    }

    /// Returns all operands, including a domain where there are domains.
    func operands(isTool: Bool) -> [Operand] {
        guard hasDomain(isTool) else { return operands }
        return [isDomainOptional ? .domain.optional : .domain] + operands
    }

    func hasDomain(_ isTool: Bool) -> Bool {
        guard isTool, case .domain = scope else { return false }
        return true
    }

    /// Returns the usage, such as `settle read DOMAIN [KEY] [--json]`.
    func usage(of program: String, isTool: Bool, showsOptions: Bool = true) -> String {
        let operands = operands(isTool: isTool).map { $0.isOptional ? "[\($0.name)]" : $0.name }
        let value =
            takesValue ? ["VALUE"] : takesCommand ? ["--", "COMMAND…"] : takesArguments ? ["ARGUMENT…"] : []
        let options = (showsOptions ? options : []).map { "[\($0.name)\($0.value.map { " \($0)" } ?? "")]" }
        return ([program, name] + operands + options + value).joined(separator: " ")
    }
}

extension Verb.Operand {
    static let domain = Self(name: "DOMAIN", completion: .domain)
    static let key = Self(name: "KEY", completion: .key)

    var optional: Self { Self(name: name, isOptional: true, completion: completion) }
}

extension Verb.Option {
    static let json = Self(names: ["--json"], help: "Write JSON.")
    static let propertyList = Self(names: ["--plist"], help: "Write an XML property list.")
    static let literal = Self(names: ["--literal"], help: "Take the key as one name, dots included.")
    static let force = Self(names: ["--force"], help: "Write keys that the schema lacks, or that have changed since.")
    static let null = Self(
        names: ["--null", "-z"], help: "Write records that end with NUL, with a line feed between their parts.")
    static let author = Self(names: ["--by"], value: "NAME", help: "The author in the history; by default the command.")
    static let secrets = Self(names: ["--show-secrets"], help: "Show secrets, on a terminal only.")
    static let help = Self(names: ["--help", "-h"], help: "Explain the verb.")
    static let global = Self(names: ["-g", "-globalDomain", "--global"], help: "The domain of all programs.")
    static let app = Self(names: ["-app"], value: "APP", help: "The domain of an app bundle, by its path.")
    static let currentHost = Self(names: ["-currentHost"], help: "The values of this machine only.")
    static let host = Self(names: ["-host"], value: "HOST", help: "The values of a machine only.")

    /// The options that name a domain, or its machine.
    static let ofDomain: [Self] = [.global, .app, .currentHost, .host]
    static let common: [Self] = [.json, .propertyList, .secrets, .help]
}
