import Settle
import SettleInterchange

/// One call of a verb: its arguments, the settings it works on, and the output.
struct Invocation: Sendable {
    let arguments: Arguments
    let program: String
    let table: VerbTable
    let context: Context
    let terminal: any CommandTerminal

    /// The settings that the command can reach.
    enum Context: Sendable {
        /// Files of any program.
        case files(DomainDirectory)
        /// The store of the program itself.
        case program(ProgramSettings)

        /// Whether it is the command `settle`.
        var isTool: Bool {
            if case .files = self { true } else { false }
        }

        /// - Parameters:
        ///   - name: A domain, or a path instead of one; a program has its own settings only.
        ///   - isApp: Whether the name is that of an app bundle.
        ///   - host: The machine whose own values are meant; empty for this one.
        func target(_ name: String, isApp: Bool = false, host: String? = nil) throws -> CommandTarget {
            switch self {
            case .files(let directory): .file(try directory.address(of: name, isApp: isApp, host: host))
            case .program(let settings): .program(settings)
            }
        }
    }

    var isTool: Bool { context.isTool }

    func has(_ option: Verb.Option) -> Bool { arguments.has(option) }

    /// The author's name in the history.
    var author: String { arguments[.author] ?? program }

    /// The operands after the domain.
    var operands: ArraySlice<String> {
        let isFirst = arguments.verb.hasDomain(table.isTool) && !has(.global) && !has(.app)
        return arguments.operands.dropFirst(isFirst ? 1 : 0)
    }

    /// Whether the settings that the verb works on are given or known.
    var namesTarget: Bool { !isTool || has(.global) || has(.app) || !arguments.operands.isEmpty }

    /// The machine whose own values are meant; empty for this one.
    var host: String? { arguments[.host] ?? (has(.currentHost) ? "" : nil) }

    /// Returns the settings that the verb reads or writes.
    func target() throws -> CommandTarget {
        let name = arguments[.app] ?? (has(.global) ? DomainAddress.globalName : arguments.operands.first ?? "")
        return try context.target(name, isApp: has(.app), host: host)
    }

    /// Returns the settings that the verb reads or writes, with their declarations.
    func settings() throws -> (CommandTarget, DeclaredSettings) {
        let target = try target()
        return (target, try target.declared())
    }

    /// Returns whether secrets may be shown.
    ///
    /// - Throws: ``CommandFailure`` if they are requested where they would end up in a file or a log.
    func showsSecrets() throws(CommandFailure) -> Bool {
        guard has(.secrets) else { return false }
        guard terminal.showsOutput else {
            throw CommandFailure(.unavailable, "Secrets are shown on a terminal only, not in a file or a pipe.")
        }
        return true
    }

    /// Whether the arguments and the output are those of the command `defaults`.
    var isDefaults: Bool { table.dialect == .defaults }

    /// Writes a value in the requested form: by default as `defaults` does.
    func show(_ value: SettingValue) throws {
        guard let format = format else { return try terminal.sayValue(value, as: text(of: value)) }
        try show(value, as: format)
    }

    /// Returns a value as `defaults` shows it. Only in its own dialect are long data abbreviated.
    func text(of value: SettingValue) -> String {
        isDefaults ? DefaultsText.abbreviatedText(of: value) : DefaultsText.text(of: value)
    }
}
