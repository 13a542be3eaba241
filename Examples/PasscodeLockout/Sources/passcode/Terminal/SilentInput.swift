import ArgumentParser

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

/// A terminal that does not echo what is typed, during this value's lifetime.
///
/// The keys are read one by one, Ctrl-C too: as a signal it would end the program and leave the terminal silent.
struct SilentInput: ~Copyable {
    private let before: termios

    init() throws {
        before = try Self.silenced()
    }

    deinit {
        var settings = before
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// Reads up to the end of the line.
    ///
    /// - Throws: `ExitCode.interrupted` if Ctrl-C was pressed or the terminal is gone.
    func readLine() throws -> SecretLine {
        let line = SecretLine()
        while true {
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { throw ExitCode.interrupted }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return line
            case 0x03, 0x04: throw ExitCode.interrupted  // Ctrl-C, Ctrl-D
            case 0x15: line.clear()  // Ctrl-U
            case 0x08, 0x7F: line.removeCharacter()
            default: line.append(byte)
            }
        }
    }

    /// Turns the echo off, and returns the previous settings.
    private static func silenced() throws -> termios {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw ValidationError("The terminal's settings can't be read, so the passcode could be seen.")
        }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0 else {
            throw ValidationError("The terminal can't be kept from showing the passcode.")
        }
        return before
    }
}
