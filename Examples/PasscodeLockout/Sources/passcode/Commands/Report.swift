import ArgumentParser
import PasscodeLock

/// What the end of a try means for people and scripts.
enum Report {
    /// Ends the command with the exit code of a result.
    static func end(_ result: AttemptResult) throws -> Never {
        tell(.success(result))
        switch result {
        case .accepted: throw ExitCode.success
        case .wrong, .repeated: throw ExitCode.wrongPasscode
        case .refused(let status): throw ExitCode(status)
        }
    }

    /// Says on standard error what went wrong.
    static func tell(_ result: Result<AttemptResult, any Error>) {
        switch result {
        case .success(.accepted): break
        case .success(.wrong(.ready)): Terminal.complain("Wrong passcode.")
        case .success(.wrong(let status)): Terminal.complain("Wrong passcode. \(status.sentence)")
        case .success(.repeated): Terminal.complain("That one was wrong a moment ago already; it does not count again.")
        case .success(.refused(let status)): Terminal.complain(status.sentence)
        case .failure(let error): Terminal.complain("\(error)")
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
