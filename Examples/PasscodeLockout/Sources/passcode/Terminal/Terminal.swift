import ArgumentParser
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// The program's three streams.
enum Terminal {
    /// Whether input comes from a terminal.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }
    /// Whether output goes to a terminal.
    static var showsOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether that terminal shows colours, and they are not disabled (`NO_COLOR`, see https://no-color.org).
    static var showsColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        return showsOutput && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// The number of characters that fit on a line.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Makes sure that no file of the lock gets the number of a standard stream that the program was started without:
    /// messages would be written into it. The replacement fails like a closed stream.
    static func reserveStreams() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // Takes the lowest free number.
            _ = open("/dev/null", mode)
        }
    }

    /// - Throws: `ExitCode.unwritable`, after the reason was written to standard error.
    static func say(_ line: String, _ style: Style = .plain) throws {
        try write(.text(line, style), .newline)
    }

    static func write(_ output: Output...) throws {
        let error = write(output, to: STDOUT_FILENO)
        guard error != 0 else { return }
        complain("Standard output can't be written: \(String(cString: strerror(error))).")
        throw ExitCode.unwritable
    }

    static func complain(_ line: String) {
        explain(.text(line), .newline)
    }

    /// Writes to standard error. If that is closed, nothing can be reported.
    static func explain(_ output: Output...) {
        _ = write(output, to: STDERR_FILENO)
    }

    /// - Returns: The error number, or 0. `FileHandle` would end the program with a trap.
    private static func write(_ output: [Output], to descriptor: CInt) -> CInt {
        let showsColour = descriptor == STDOUT_FILENO && showsColour
        var rest = Array(output.map { $0.encoded(showsColour: showsColour) }.joined().utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Reads a line without showing it.
    static func readSecret(prompt: String) throws -> SecretLine {
        guard isInteractive else {
            guard let line = SecretLine.fromStandardInput() else {
                throw ValidationError("A passcode is missing: standard input has ended.")
            }
            return line
        }
        // Before the prompt, so that an immediate answer is neither shown nor lost.
        let input = try SilentInput()
        explain(.text(prompt))
        defer { explain(.newline) }
        return try input.readLine()
    }

    /// Reads a line that may be seen.
    static func readAnswer(prompt: String) -> String? {
        explain(.text(prompt))
        return readLine()
    }
}

/// The system's function: in a type whose own functions have its name, only a qualified one would reach it, and each C
/// library has another name.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
