import Settle
import SettleInterchange

/// One call of a verb: what was asked, of what, and where the answer goes.
struct Invocation: Sendable {
    let arguments: Arguments
    let program: String
    let context: Context
    let terminal: any CommandTerminal

    /// What the command works on.
    enum Context: Sendable {
        /// Files of any program.
        case files(DomainDirectory)
        /// The store of the program itself.
        case program(ProgramSettings)
    }

    var isTool: Bool {
        if case .files = context { true } else { false }
    }

    func has(_ option: Verb.Option) -> Bool { arguments.has(option) }

    /// The name in the history.
    var author: String { arguments[.author] ?? program }

    /// The operands behind the domain.
    var operands: ArraySlice<String> {
        let isFirst = arguments.verb.hasDomain(isTool) && !has(.global) && !has(.app)
        return arguments.operands.dropFirst(isFirst ? 1 : 0)
    }

    /// Whether what the verb works on is given, or known.
    var namesTarget: Bool { !isTool || has(.global) || has(.app) || !arguments.operands.isEmpty }

    /// The machine whose own values are meant; empty for this one.
    var host: String? { arguments[.host] ?? (has(.currentHost) ? "" : nil) }

    /// What the verb works on.
    func target() throws -> CommandTarget {
        switch context {
        case .program(let settings): return CommandTarget(settings)
        case .files(let directory):
            let name = arguments[.app] ?? (has(.global) ? DomainAddress.globalName : arguments.operands.first ?? "")
            return CommandTarget(try directory.address(of: name, isApp: has(.app), host: host))
        }
    }

    /// Whether secrets may be shown.
    ///
    /// - Throws: ``CommandFailure`` if they are asked for where they would end in a file or a log.
    func showsSecrets() throws(CommandFailure) -> Bool {
        guard has(.secrets) else { return false }
        guard terminal.showsOutput else {
            throw CommandFailure(.unavailable, "Secrets are shown on a terminal only, not in a file or a pipe.")
        }
        return true
    }

    /// Writes a value in the form that was asked for: by default as `defaults` does.
    func show(_ value: SettingValue) throws {
        guard let format = format else { return try terminal.say(DefaultsText.text(of: value), keepingLines: true) }
        try show(value, as: format)
    }
}
