import Settle
import SettleInterchange

/// Runs one verb and turns errors into sentences and exit codes.
struct CommandRun {
    let program: String
    let terminal: any CommandTerminal

    func run(_ words: [String], on context: () async throws -> Invocation.Context) async -> Int32 {
        do {
            let context = try await context()
            try await perform(words, context, of: .all(isTool: context.isTool))
            return ExitCode.done.rawValue
        } catch {
            let failure = CommandFailure(error)
            failure.lines.forEach(terminal.complain)
            return failure.code.rawValue
        }
    }

    func perform(_ words: [String], _ context: Invocation.Context, of table: VerbTable) async throws {
        if words.first == CompletionScript.question {
            let all = await Completion(context: context, table: table).candidates(for: Array(words.dropFirst()))
            // A shell would show any key, even one that controls the terminal.
            let found = all.filter { $0.word == $0.word.escaped() }
            let lines = found.map { $0.meaning.map { [$0.firstLine] } ?? [] }.enumerated()
                .map { ([found[$0.offset].word] + $0.element).joined(separator: "\t") + "\n" }
            return try terminal.write(Array(lines.joined().utf8))
        }
        guard !words.isEmpty else {
            let page = HelpPage(program: program, table: table)
            try table.dialect == .defaults ? page.writeAll(to: terminal) : page.writeSummary(to: terminal)
            throw CommandFailure(.usage, "A verb is missing.")
        }
        let arguments = try Arguments(words, of: table, program: program)
        if arguments.has(.help) {
            return try HelpPage(program: program, table: table).write(arguments.verb, to: terminal)
        }
        let invocation = Invocation(
            arguments: arguments, program: program, table: table, context: context, terminal: terminal)
        try await arguments.verb.action(invocation)
    }
}

extension String {
    fileprivate var firstLine: String { String(prefix { $0 != "\n" && $0 != "\t" }) }
}

extension CommandFailure {
    /// - Parameter error: Any error that a verb has thrown.
    init(_ error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as SettingsError: self.init(Self.code(for: error), error.description)
        case is FormatError, is ArchiveError: self.init(.refused, "\(error)")
        case is StorageError: self.init(.failed, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }

    private static func code(for error: SettingsError) -> ExitCode {
        switch error.code {
        case .locked, .protected, .secretStore: .locked
        case .historyUnavailable: .unavailable
        case .nothingUnconfirmed: .absent
        case .invalidValue, .unusableValue, .encodingFailed, .importRefused, .unknownKey, .conflict, .notUndoable,
            .duplicateKey, .invalidKey, .tooManyKeys, .tooManyBytes, .draftConflict:
            error.problems.contains { [.locked, .protected, .secretStore].contains($0.code) } ? .locked : .refused
        default: .failed
        }
    }
}
