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
