public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A program's own command for its settings: `myapp settings list`, `set`, `explain` and so on, typed by its
/// declarations.
///
/// ```swift
/// let store = try await SettingsStore.open("com.example.app")
/// let command = SettingsCommand(store, groups: AppSettings.self, name: "myapp settings")
/// exit(await command.run(Array(CommandLine.arguments.dropFirst(2))))
/// ```
///
/// Values are read and written as by `settle`, except that reading shows the effective values, and that text is
/// interpreted by the declarations. An owner-only setting (`SettingsAccess.owner`) is shown and can't be written.
/// Secrets are shown only with `--show-secrets` on a terminal. `help` lists the verbs, with a table of the exit codes.
public struct SettingsCommand: Sendable {
    private let store: SettingsStore
    private let groups: [any SettingsGroup.Type]
    private let name: String

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - store: The program's store. It stays open.
    ///   - groups: The groups that declare the settings, at the root. Groups that are already open may be left out.
    ///   - name: The text that a user types before the verb, for the help and for completions.
    public init(_ store: SettingsStore, groups: any SettingsGroup.Type..., name: String = "settings") {
        (self.store, self.groups, self.name) = (store, groups, name)
    }

    /// Runs a verb, with the streams of the process.
    ///
    /// Errors go to standard error, as sentences with the remedy. Nothing asks for input without a terminal. Written
    /// values are on stable storage when this returns.
    ///
    /// - Parameter arguments: The verb and its arguments.
    /// - Returns: The exit code; the help has a table of them.
    public func run(_ arguments: [String]) async -> Int32 {
        await run(arguments, on: SystemTerminal())
    }

    package func run(_ arguments: [String], on terminal: any CommandTerminal) async -> Int32 {
        await CommandRun(program: name, terminal: terminal).run(arguments) {
            var opened: [any SettingsGroup] = []
            for group in groups { opened.append(try await store.group(group)) }
            return .program(ProgramSettings(name: name, store: store, groups: opened))
        }
    }
}

/// The command `settle`.
package struct DomainCommand: Sendable {
    private let directory: DomainDirectory

    package init(_ directory: DomainDirectory = DomainDirectory()) { self.directory = directory }

    /// Runs the command with the arguments of the process, and ends it.
    package static func main() async -> Never {
        let (terminal, command) = (SystemTerminal(), DomainCommand())
        let arguments = Self.arguments(of: CommandLine.arguments)
        if let code = command.runQuickRead(arguments, on: terminal) { terminal.end(code) }
        terminal.end(await command.run(Array(arguments), on: terminal))
    }

    /// Returns the arguments of the command. A link named `defaults` stands for the verb.
    ///
    /// - Parameter words: The name by which the program was called, and its arguments.
    package static func arguments(of words: [String]) -> ArraySlice<String> {
        guard words.first?.split(separator: "/").last == "defaults" else { return words.dropFirst() }
        return [DefaultsVerb.name] + words.dropFirst()
    }

    /// Runs a read that needs no parser and no verb.
    ///
    /// - Returns: The exit code; `nil` if nothing was done.
    package func runQuickRead(_ arguments: ArraySlice<String>, on terminal: some CommandTerminal) -> Int32? {
        guard let value = QuickRead(directory: directory).value(for: arguments) else { return nil }
        do throws(CommandFailure) {
            try terminal.sayValue(value)
            return ExitCode.done.rawValue
        } catch {
            terminal.complain(error.description)
            return error.code.rawValue
        }
    }

    /// - Returns: The exit code.
    package func run(_ arguments: [String], on terminal: any CommandTerminal) async -> Int32 {
        await CommandRun(program: "settle", terminal: terminal).run(arguments) { .files(directory) }
    }
}
