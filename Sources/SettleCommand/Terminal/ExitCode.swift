/// The exit codes of a command.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    case absent = 1
    case usage = 64
    case refused = 65
    case unavailable = 69
    case failed = 74
    case locked = 77
    case interrupted = 130
    case misused = 255

    /// The meaning, for the table in the help and in the manual.
    var meaning: String {
        switch self {
        case .done: "Done."
        case .absent:
            "The domain, key or entry does not exist, “check” has found damage, or “bisect” has found nothing."
        case .usage: "The command line is wrong. Nothing was done."
        case .refused: "A value, a file or a change was refused. Nothing has changed."
        case .unavailable: "Something that the command needs is missing: a history, a schema, an editor, a terminal."
        case .failed: "A file can't be read or written. Nothing is lost."
        case .locked:
            "An administrator has locked the key, only its owner may change it, or it belongs to the secret store."
        case .interrupted: "Interrupted by Ctrl-C."
        case .misused: "The command line of “settle defaults” is wrong. Nothing was done."
        }
    }
}

/// The reason that a command has failed: a sentence for users, and a code for scripts.
package struct CommandFailure: Error, CustomStringConvertible {
    let code: ExitCode
    let lines: [String]

    package var description: String { lines.joined(separator: "\n") }

    /// - Parameter more: Further lines.
    init(_ code: ExitCode, _ description: String, more: [String] = []) {
        self.init(code, lines: [description] + more)
    }

    init(_ code: ExitCode, lines: [String]) { (self.code, self.lines) = (code, lines) }
}
