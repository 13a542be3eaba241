package import Foundation
import Synchronization

/// A child process that ends with this one, with a pipe for lines in each direction.
package final class ChildProgram: Sendable {
    package let id: pid_t
    /// What the child prints. It ends with the child.
    package let lines: AsyncStream<String>

    private let process: Mutex<Process>
    private let input: CInt

    /// - Parameters:
    ///   - station: Where in a network of this machine it is; `nil` for the network of this process.
    ///   - errors: The file that gets what it writes to standard error; `nil` for that of this process.
    package init(_ program: String, _ arguments: [String], at station: Station? = nil, errors: String? = nil) throws {
        // It waits for a line before it begins: by then it is on the network.
        let command =
            (station == nil ? [] : ["/usr/bin/unshare", "--net", "--"])
            + [
                "/usr/bin/setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", "read go && exec \"$@\"", "sh",
                program,
            ]
            + arguments
        let (process, id, input, output) = try Spawner.shared.run {
            let process = Process()
            process.executableURL = URL(filePath: command[0])
            process.arguments = Array(command.dropFirst())
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            if let errors {
                if !FileManager.default.fileExists(atPath: errors) { try Data().write(to: URL(filePath: errors)) }
                let file = try FileHandle(forWritingTo: URL(filePath: errors))
                try file.seekToEnd()
                process.standardError = file
            }
            try process.run()
            let ends = [input.fileHandleForWriting, output.fileHandleForReading].map { dup($0.fileDescriptor) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (Unchecked(process), process.processIdentifier, ends[0], ends[1])
        }
        let running = process.value
        self.process = Mutex(running)
        self.id = id
        self.input = input
        lines = Self.lines(of: output)
        try station?.attach(id)
        say("go")
    }

    /// A process that only its ``ChildProgram`` has.
    private struct Unchecked: @unchecked Sendable {
        // Sendable: it is handed from the thread that has made it to the one that waits for that.
        let value: Process
        init(_ value: Process) { self.value = value }
    }

    deinit {
        kill()
        close(input)
    }

    /// Sends a line. Does nothing if the child has ended.
    package func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(input, bytes, bytes.count)
    }

    package var isRunning: Bool { process.withLock { $0.isRunning } }

    /// How it has ended, as the end of a sentence; `nil` while it runs.
    package var end: String? {
        process.withLock { process in
            if process.isRunning { return nil }
            let kind = process.terminationReason == .uncaughtSignal ? "signal" : "code"
            return "with \(kind) \(process.terminationStatus)"
        }
    }

    /// Ends the child without notice, and waits for its end.
    package func kill() {
        process.withLock { process in
            if process.isRunning { Foundation.kill(id, SIGKILL) }
            process.waitUntilExit()
        }
    }

    /// Waits for the child's end.
    ///
    /// - Returns: Its exit code.
    @discardableResult
    package func wait() -> CInt {
        process.withLock { process in
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    /// Stops the child, which keeps its connections, or resumes it.
    package func pause(_ isPaused: Bool = true) {
        process.withLock { process in
            if process.isRunning { Foundation.kill(id, isPaused ? SIGSTOP : SIGCONT) }
        }
    }

    /// The memory that it has, in bytes.
    package var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0) << 10
    }

    private static func lines(of descriptor: CInt) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let thread = Thread {
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest += buffer[..<count]
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            close(descriptor)
            continuation.finish()
        }
        thread.stackSize = 1 << 18
        thread.start()
        return stream
    }
}
