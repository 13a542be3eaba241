import ArgumentParser
import Foundation

@main
struct PasscodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passcode",
        abstract: "A passcode lock that survives crashes, reboots and set clocks.",
        discussion: """
            A passcode is read from the terminal without being shown, or from standard input, one per line.

            Exit codes: 0 done, 1 wrong passcode, 2 there is a wait, 3 no more guesses, 4 nothing was compared, \
            64 wrong usage, 65 two different entries, 74 standard output can't be written, 130 Ctrl-C.
            """,
        subcommands: [
            Enrol.self, Unlock.self, Status.self, Watch.self, Audit.self, Settings.self, Recover.self, Demo.self,
        ])

    static func main() async {
        Terminal.reserveStreams()
        ProcessLimits.forbidDumps()
        guard ProcessLimits.hasEnoughDescriptors else {
            Terminal.complain(
                "The program needs \(ProcessLimits.neededDescriptors) files at once beside its three streams, and may not "
                    + "open as many. Nothing was compared. “ulimit -n” shows the limit.")
            Foundation.exit(ExitCode.unavailable.rawValue)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(error)
        }
    }

    /// Not ArgumentParser's way to end, which prints errors with all characters that they have.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        switch code {
        case _ where error is ExitCode: break
        case .success: try? Terminal.write(.ownLines(fullMessage(for: error)), .newline)
        case .validationFailure:
            let sentence = "Error: \(message(for: error))"
            Terminal.complain(sentence)
            // The usage of the command that was meant.
            Terminal.explain(.ownLines(String(fullMessage(for: error).trimmingPrefix("\(sentence)\n"))), .newline)
        default:
            Terminal.complain("\(error)")
            Foundation.exit(ExitCode.unavailable.rawValue)
        }
        Foundation.exit(code.rawValue)
    }
}
