import ArgumentParser
import PasscodeLock

/// The result of a try, for users and scripts.
enum Report {
    /// Ends the command with the exit code of a result.
    static func end(_ result: AttemptResult) throws -> Never {
        tell(result)
        switch result {
        case .accepted: throw ExitCode.success
        // A repeated one was compared a moment ago.
        case .wrong, .repeated: throw ExitCode.wrongPasscode
        // Nothing is known about the passcode.
        case .failed, .refused(.ready): throw ExitCode.unavailable
        case .refused(let status): throw ExitCode(status)
        }
    }

    /// Explains a failure on standard error.
    static func tell(_ result: AttemptResult) {
        switch result {
        case .accepted: break
        case .wrong(.ready): Terminal.complain("Wrong passcode.")
        case .wrong(let status): Terminal.complain("Wrong passcode. \(status.sentence)")
        case .failed(let status):
            Terminal.complain("The passcode could not be compared, and the try counts. \(status.sentence)")
        case .repeated: Terminal.complain("That passcode was already wrong a moment ago; it does not count again.")
        // There was no passcode at first, so the old one was not asked for.
        case .refused(.ready):
            Terminal.complain("Another process has chosen a passcode in the meantime. Nothing has changed.")
        case .refused(let status): Terminal.complain(status.sentence)
        }
    }
}

extension Passcode {
    /// Reads a passcode at the terminal, or a line of standard input. At a terminal it asks again for a text that can't
    /// be a passcode, as often as necessary: that is no try.
    ///
    /// - Parameter policy: Which a new passcode must fit.
    static func read(prompt: String, for policy: PasscodePolicy? = nil) throws -> Passcode {
        while true {
            do {
                let passcode = try Terminal.readSecret(prompt: prompt).passcode()
                try policy?.check(passcode)
                return passcode
            } catch let error as PasscodeError {
                Terminal.complain("\(error)")
                guard Terminal.isInteractive else { throw ExitCode.malformed }
            }
        }
    }
}
