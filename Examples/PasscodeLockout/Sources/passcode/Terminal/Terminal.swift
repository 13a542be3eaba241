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

    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    /// Writes a line over the one before.
    static func redraw(_ line: String) {
        FileHandle.standardOutput.write(Data(("\r\u{1B}[K" + line).utf8))
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
