import Foundation
import Synchronization

/// A Redis server of this machine, on a free port and with a folder of its own, which stores each write before it
/// answers.
package final class RedisProcess: Sendable {
    package static let isInstalled = path != nil
    private static let path = [
        "/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server",
    ]
    .first(where: FileManager.default.isExecutableFile)

    private static let spawning = Mutex(())

    package let port: Int
    private let folder: URL
    private let life = Mutex<Life?>(nil)

    /// A shell with the server as its child. It ends the server when its input ends, as it does with this process.
    private struct Life {
        let shell: Process
        let input: Pipe
        let server: pid_t
    }

    package init() throws {
        port = try Socket.freePort()
        folder = FileManager.default.temporaryDirectory.appending(path: "settle-redis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts it, and waits until it answers.
    package func start() throws {
        guard let path = Self.path else { throw MachineError("redis-server is not installed.") }
        let life = try Self.spawning.withLock { _ in try spawn(path) }
        self.life.withLock { $0 = life }
        for _ in 0..<2_000 {
            if let socket = try? Socket(connectedTo: port), socket.isAnswered { return }
            Thread.sleep(forTimeInterval: 0.005)
        }
        throw MachineError("redis-server \(life.server) does not answer on port \(port).")
    }

    private func spawn(_ path: String) throws -> Life {
        let (shell, input, output) = (Process(), Pipe(), Pipe())
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = [
            "-c", "\"$@\" >/dev/null & echo $!; read end; kill -9 $! 2>/dev/null", "sh", path,
            "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder.path, "--save", "", "--appendonly", "yes",
            "--appendfsync", "always",
        ]
        (shell.standardInput, shell.standardOutput) = (input, output)
        // No other child keeps it open, which is why they are started one by one.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try shell.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let id = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw MachineError("The shell has answered “\(line)”.")
        }
        return Life(shell: shell, input: input, server: id)
    }

    /// Runs a command whose arguments have no spaces.
    ///
    /// - Returns: The number that it answers; 0 if that is something else.
    @discardableResult
    package func command(_ words: String...) throws -> Int {
        let socket = try Socket(connectedTo: port)
        socket.write(Array((words.joined(separator: " ") + "\r\n").utf8))
        let answer = String(decoding: socket.read(), as: UTF8.self)
        if answer.hasPrefix("-") { throw MachineError(answer) }
        return Int(answer.dropFirst().prefix { $0.isNumber }) ?? 0
    }

    package var isRunning: Bool { life.withLock { $0 != nil } }

    /// Ends it without notice.
    package func kill() {
        life.withLock { life in
            guard let running = life else { return }
            Foundation.kill(running.server, SIGKILL)
            try? running.input.fileHandleForWriting.close()
            running.shell.waitUntilExit()
            life = nil
        }
    }

    /// Stops it, with its connections, or resumes it.
    package func pause(_ isPaused: Bool = true) {
        life.withLock { life in
            if let life { Foundation.kill(life.server, isPaused ? SIGSTOP : SIGCONT) }
        }
    }
}

/// Why a machine can't be had.
package struct MachineError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
