import Foundation
import PasscodeLock
import SettleTesting
import Testing

/// What a user sees and types at a terminal.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TerminalTests {
    private func withLock(guesses: Int = 0, _ body: (_ file: String) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder)
            try await lock.enrol("2580", cost: ScryptCost(rounds: 16), wrongGuesses: guesses)
            try await body(lock.copies[0].path)
        }
    }

    @Test(
        "Colours appear on a terminal that supports them, unless NO_COLOR asks for none",
        arguments: [([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false)])
    func colours(_ environment: [String: String], _ isColoured: Bool) async throws {
        try await withLock { file in
            let terminal = try PasscodeTerminal(["status", "--file", file], environment: environment)
            let (exitCode, _) = await terminal.end()
            #expect(exitCode == 0)
            let sentence = "A passcode may be tried."
            #expect(terminal.text == (isColoured ? "\u{1B}[32m\(sentence)\u{1B}[0m\r\n" : "\(sentence)\r\n"))
            let piped = try await PasscodeProgram.run(["status", "--file", file])
            #expect(piped.lines == [sentence])
        }
    }

    @Test(
        "A countdown fits any width, and Ctrl-C ends it with 130 and restores the terminal",
        arguments: [
            ["watch"], ["unlock", "--wait"],
        ])
    func countdown(_ words: [String]) async throws {
        try await withLock(guesses: 5) { file in
            let terminal = try PasscodeTerminal(words + ["--file", file], environment: ["NO_COLOR": "1"])
            var seen = await terminal.see("left, wait number 1")
            terminal.resize(to: 20)
            // By then the line is wrapped into two.
            seen = await terminal.see("\u{1B}[1A\r\u{1B}[J", after: seen)
            seen = await terminal.see("…", after: seen)
            terminal.resize(to: 80)
            seen = await terminal.see("left, wait number 1", after: seen)
            terminal.type("\u{3}")
            let (exitCode, isAsBefore) = await terminal.end()
            #expect(exitCode == 130)
            #expect(isAsBefore)
            #expect(terminal.text.hasSuffix("\r\n"))
        }
    }

    @Test(
        "A passcode is never shown; impossible ones can be corrected, and three tries are allowed"
    )
    func typing() async throws {
        try await withLock { file in
            let terminal = try PasscodeTerminal(["unlock", "--file", file])
            var seen = await terminal.see("Passcode: ")
            for (typed, answer) in [
                ("0000\r", "Wrong passcode."), ("0000\r", "does not count again."), ("12\r", "at least 4 characters."),
                ("\u{1B}[A2580\r", "such as a tab or an arrow key."),
            ] {
                terminal.type(typed)
                seen = await terminal.see(answer + "\r\nPasscode: ", after: seen)
            }
            terminal.type("nonsense\u{15}25811\u{7F}\u{7F}0\r")
            let (exitCode, isAsBefore) = await terminal.end()
            #expect(exitCode == 0)
            #expect(isAsBefore)
            #expect(terminal.text.contains("Unlocked."))
            for typed in ["0000", "2580", "2581", "nonsense"] { #expect(!terminal.text.contains(typed)) }
        }
    }

    @Test("The last line is redrawn when the width changes, even if nothing else happens")
    func resizing() async throws {
        try await withLock { file in
            let terminal = try PasscodeTerminal(["watch", "--file", file], environment: ["NO_COLOR": "1"])
            var seen = await terminal.see("ready")
            terminal.resize(to: 4)
            seen = await terminal.see("re…", after: seen)
            terminal.resize(to: 80)
            seen = await terminal.see("ready", after: seen)
            terminal.type("\u{3}")
            let (exitCode, isAsBefore) = await terminal.end()
            #expect(exitCode == 130)
            #expect(isAsBefore)
        }
    }

    @Test("Ctrl-C at a prompt is no try, exits with 130, and restores the terminal")
    func interruptedPrompt() async throws {
        try await withLock { file in
            let terminal = try PasscodeTerminal(["unlock", "--file", file])
            await terminal.see("Passcode: ")
            terminal.type("258\u{3}")
            let (exitCode, isAsBefore) = await terminal.end()
            #expect(exitCode == 130)
            #expect(isAsBefore)
            let audit = try await PasscodeProgram.run(["audit", "--file", file])
            #expect(audit.lines.count == 1)
        }
    }

    @Test("A new passcode must be typed twice, and both must match")
    func enrolling() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json").path
            for (again, code, answer) in [("2581", 65, "The two passcodes differ."), ("2580", 0, "Enrolled.")]
                as [(String, CInt, String)]
            {
                let terminal = try PasscodeTerminal(["enrol", "--file", file])
                let seen = await terminal.see("New passcode: ")
                terminal.type("2580\r")
                await terminal.see("New passcode again: ", after: seen)
                terminal.type(again + "\r")
                let (exitCode, _) = await terminal.end()
                #expect(exitCode == code)
                #expect(terminal.text.contains(answer))
            }
        }
    }
}
