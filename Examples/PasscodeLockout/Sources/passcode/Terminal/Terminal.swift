import ArgumentParser
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The program's three streams.
enum Terminal {
    /// Whether a person types.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }
    /// Whether a person reads.
    static var showsOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether that person's terminal shows colours, and nobody has asked for none (`NO_COLOR`, see https://no-color.org).
    static var showsColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        return showsOutput && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
    /// How many characters fit into a line.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    static func say(_ line: String) {
        write(line + "\n")
    }

    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    static func complain(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// Reads a line that nobody else shall see.
    static func readSecret(prompt: String) throws -> String {
        guard isInteractive else {
            guard let line = readLine() else {
                throw ValidationError("A passcode is missing: standard input has ended.")
            }
            return line
        }
        FileHandle.standardError.write(Data(prompt.utf8))
        defer { complain("") }
        return try SilentInput().readLine()
    }
}
