import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What other people's keys and values may do to a terminal: nothing.
@Suite(.timeLimit(.minutes(10))) struct TerminalSafetyTests {
    private static let text = "a\u{9B}31m\u{202E}\u{7F}\u{E0001}b"

    private func isSafe(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar == "\n" || scalar == "\t"
            case .format, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    @Test(
        "A document on a terminal has no character that does something, and is the same document",
        arguments: ["json", "xml", "old"])
    func documents(_ form: String) async throws {
        let home = try CommandHome()
        await home.run("write", "app", "k", "-string", Self.text)
        let shown = await home.run("export", "app", "--as", form, on: RecordingTerminal(isTerminal: true))
        #expect(shown.code == 0 && isSafe(shown.output), "\(shown)")
        let path = try home.write(shown.output, to: "copy")
        #expect(await home.run("import", "copy", path).code == 0)
        #expect(await home.run("read", "copy", "k").output == Self.text + "\n")
        let converted = await home.run("convert", path, "--as", form, on: RecordingTerminal(isTerminal: true))
        #expect(converted.code == 0 && isSafe(converted.output))
    }

    @Test("--json and --plist are as safe, and a binary list is not shown")
    func formats() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "k", "-string", Self.text)
        for arguments in [
            ["read", "app"], ["list", "app"], ["explain", "app", "k"], ["find", "a"], ["check", "app"],
            ["read", "app", "k"],
        ] {
            for format in ["--json", "--plist"] {
                let shown = await home.run(arguments + [format], on: RecordingTerminal(isTerminal: true))
                #expect(shown.code == 0 && isSafe(shown.output), "\(arguments) \(format)")
            }
        }
        let binary = await home.run("export", "app", "--as", "binary", on: RecordingTerminal(isTerminal: true))
        #expect(binary.code == 69 && binary.output.isEmpty)
        #expect(await home.run("read", "app", "--json").output.contains(Self.text.dropLast(4)))
    }

    /// A hostile key, value and path, each with a line break.
    private func hostileHome() async throws -> (CommandHome, path: String) {
        let home = try CommandHome()
        let folder = home.file("x\n\u{1B}[2J\u{202E}feigned")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let path = folder.appending(path: "settings.json").path
        let written = await home.run("write", path, "--literal", "k\nfeigned", "-string", "\(Self.text)\nfeigned")
        try #require(written.code == 0, "\(written)")
        return (home, path)
    }

    private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

    @Test("What is printed for people is safe on a terminal and in a pipe, and no line is feigned")
    func linesForPeople() async throws {
        let (home, path) = try await hostileHome()
        for isTerminal in [true, false] {
            func run(_ arguments: String...) async -> CommandHome.Answer {
                await home.run(arguments, on: RecordingTerminal(isTerminal: isTerminal))
            }
            for shown in [
                await run("list", path), await run("check", path),
                await run("explain", path, "--literal", "k\nfeigned"),
            ] {
                #expect(shown.code == 0 && isSafe(shown.output), "\(shown)")
                #expect(!lines(shown.output).contains { $0.hasPrefix("feigned") }, "\(shown)")
            }
            let explained = await run("explain", path, "--literal", "k\nfeigned")
            #expect(explained.output.contains("k\\u{A}feigned = "), "\(explained)")
            #expect(explained.output.contains("x\\u{A}\\u{1B}[2J\\u{202E}feigned"), "\(explained)")
        }
    }

    @Test("A text that is read stays on one line of a terminal, and comes whole through a pipe")
    func readText() async throws {
        let (home, path) = try await hostileHome()
        let arguments = ["read", path, "--literal", "k\nfeigned"]
        let shown = await home.run(arguments, on: RecordingTerminal(isTerminal: true))
        #expect(shown.code == 0 && isSafe(shown.output) && lines(shown.output).count == 1, "\(shown)")
        #expect(await home.run(arguments).output == "\(Self.text)\nfeigned\n")
        let all = await home.run("read", path, on: RecordingTerminal(isTerminal: true))
        #expect(isSafe(all.output) && lines(all.output).count == 3, "\(all)")
    }

    @Test("A key with a line end feigns no further line")
    func lines() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "--literal", "k\n- feigned", "-string", "a\nb")
        let input = RecordingTerminal(isTerminal: true, input: "{\"k\\n- feigned\": \"c\"}")
        let told = await home.run("import", "app", "-", "--dry-run", on: input)
        #expect(told.output.split(separator: "\n").count == 2, "\(told)")
        let listed = await home.run("list", "app", on: RecordingTerminal(isTerminal: true))
        #expect(listed.output.split(separator: "\n").count == 1, "\(listed)")
    }
}
