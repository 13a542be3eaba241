import ArgumentParser
import PasscodeLock

/// What the end of a try means for people and scripts.
enum Report {
    /// Ends the command with the exit code of a result.
    static func end(_ result: AttemptResult) throws -> Never {
        switch result {
        case .accepted:
            throw ExitCode.success
        case .wrong(let status):
            Terminal.complain(status == .ready ? "Wrong passcode." : "Wrong passcode. \(status.sentence)")
            throw ExitCode.wrongPasscode
        case .refused(let status):
            Terminal.complain(status.sentence)
            throw ExitCode(status)
        }
    }
}

extension Passcode {
    /// Reads a passcode from the person at the terminal, or a line of standard input.
    static func read(prompt: String) throws -> Passcode {
        do {
            return try Passcode(try Terminal.readSecret(prompt: prompt))
        } catch let error as PasscodeError {
            throw ValidationError("\(error)")
        }
    }
}
