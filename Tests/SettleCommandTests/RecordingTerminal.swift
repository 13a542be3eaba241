import Settle
import SettleCommand
import SettleTesting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Remembers what a command prints.
final class RecordingTerminal: CommandTerminal {
    let showsOutput: Bool
    let width: Int?
    let showsColour: Bool
    let isInteractive: Bool
    private let input: [UInt8]
    private let text = Mutex((output: "", errors: ""))
    private let answers: Mutex<[String]>
    private let editing: @Sendable (String) throws -> Int32
    private let running: @Sendable ([String], [String: String]) throws -> Int32

    init(
        isTerminal: Bool = false, width: Int? = nil, showsColour: Bool = false, input: String = "",
        answers: [String] = [],
        editing: @escaping @Sendable (String) throws -> Int32 = { _ in 1 },
        running: @escaping @Sendable ([String], [String: String]) throws -> Int32 = { _, _ in 1 }
    ) {
        (showsOutput, isInteractive, self.showsColour) = (isTerminal, isTerminal, showsColour)
        self.width = width
        self.input = Array(input.utf8)
        self.answers = Mutex(answers)
        (self.editing, self.running) = (editing, running)
    }

    var output: String { text.withLock { $0.output } }
    var errors: String { text.withLock { $0.errors } }

    func write(_ bytes: [UInt8]) { text.withLock { $0.output += String(decoding: bytes, as: UTF8.self) } }
    func complain(_ line: String) { text.withLock { $0.errors += line + "\n" } }
    func readInput() -> [UInt8] { input }
    func readLine(prompt: String) -> String? { answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    func edit(_ path: String, with editor: String) -> Int32 { (try? editing(path)) ?? 2 }
    func run(_ words: [String], variables: [String: String]) -> Int32 { (try? running(words, variables)) ?? 200 }
}

/// A home with settings of programs, and the command on it.
struct CommandHome {
    let folder: TemporaryFolder
    private let command: DomainCommand

    init() throws {
        folder = try TemporaryFolder()
        command = DomainCommand(
            DomainDirectory(StandardLocation(home: folder.url.path, subfolder: ".config", override: nil)))
    }

    struct Answer: CustomStringConvertible {
        let code: Int32
        let output: String
        let errors: String

        var description: String { "\(code) \(output) \(errors)" }
    }

    @discardableResult
    func run(_ arguments: String..., on terminal: RecordingTerminal = RecordingTerminal()) async -> Answer {
        await run(arguments, on: terminal)
    }

    @discardableResult
    func run(_ arguments: [String], on terminal: RecordingTerminal = RecordingTerminal()) async -> Answer {
        let code = await command.run(arguments, on: terminal)
        return Answer(code: code, output: terminal.output, errors: terminal.errors)
    }

    func runQuickRead(_ arguments: [String], on terminal: RecordingTerminal) -> Int32? {
        command.runQuickRead(arguments[...], on: terminal)
    }

    func file(_ name: String) -> URL { folder.url.appending(path: name) }

    /// The file of a domain.
    func settings(_ domain: String) -> URL { file(".config/\(domain)/settings.json") }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: file(name))
        return file(name).path
    }
}
