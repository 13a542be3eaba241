import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
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

/// The streams of the process.
struct SystemTerminal: CommandTerminal {
    var showsOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    var width: Int? {
        guard showsOutput else { return nil }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Whether to show colours; see https://no-color.org.
    var showsColour: Bool {
        guard showsOutput else { return false }
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        do throws(SystemError) {
            try ByteStream.output.write(bytes)
        } catch {
            throw CommandFailure(.failed, "Standard output can't be written: \(error).")
        }
    }

    func complain(_ line: String) {
        try? ByteStream.errors.write(Array("\(line.escaped())\n".utf8))
    }

    func readInput() throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) {
            return try ByteStream.input.readAll()
        } catch {
            throw CommandFailure(.failed, "Standard input can't be read: \(error).")
        }
    }

    func readLine(prompt: String) -> String? {
        try? ByteStream.errors.write(Array(prompt.utf8))
        return Swift.readLine()
    }

    func edit(_ path: String, with editor: String) throws(CommandFailure) -> Int32 {
        try EditorProcess.run(editor, on: path)
    }

    func run(_ words: [String], variables: [String: String]) throws(CommandFailure) -> Int32 {
        try CommandProcess.run(words, variables: variables)
    }

    /// Ends the process.
    func end(_ code: Int32) -> Never { exit(code) }
}
