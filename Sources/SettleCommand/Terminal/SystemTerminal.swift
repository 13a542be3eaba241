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

    var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Whether to show colours; see https://no-color.org.
    var showsColour: Bool {
        guard showsOutput else { return false }
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        let error = Self.write(bytes, to: STDOUT_FILENO)
        guard error != 0 else { return }
        throw CommandFailure(.failed, "Standard output can't be written: \(Self.message(for: error)).")
    }

    func complain(_ line: String) {
        _ = Self.write(Array("\(line.escaped())\n".utf8), to: STDERR_FILENO)
    }

    func readInput() throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(.failed, "Standard input can't be read: \(Self.message(for: errno)).")
            }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    func readLine(prompt: String) -> String? {
        _ = Self.write(Array(prompt.utf8), to: STDERR_FILENO)
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

    /// - Returns: The error number, or 0.
    private static func write(_ bytes: [UInt8], to stream: CInt) -> CInt {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(stream, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    private static func message(for error: CInt) -> String { String(cString: strerror(error)) }
}

/// Calls the system's function: in a type whose own functions have its name, only a qualified name would reach it, and
/// each C library has another name.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
