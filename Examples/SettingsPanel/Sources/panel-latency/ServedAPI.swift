import Foundation

/// A process of `serve-api` with a file of its own, and the one that writes to both.
final class ServedAPI {
    private let folder: URL
    private let server: Process
    private let writer: Process
    private let toWriter: FileHandle
    let apiPort: Int
    let barePort: Int

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "panel-latency-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (file, pipe) = (folder.appending(path: "app.json").path, folder.appending(path: "pipe").path)
        guard mkfifo(pipe, 0o600) == 0 else { throw RawConnection.Failure(description: "There is no pipe.") }
        let output = Pipe()
        let server = try Self.start(["serve-api", file, pipe]) { $0.standardOutput = output }
        let ports = Self.ports(in: output.fileHandleForReading)
        guard let api = ports["api"], let bare = ports["bare"] else {
            server.terminate()
            throw RawConnection.Failure(description: "The server did not start.")
        }
        let input = Pipe()
        writer = try Self.start(["write", file, pipe]) { $0.standardInput = input }
        (self.folder, self.server, toWriter) = (folder, server, input.fileHandleForWriting)
        (apiPort, barePort) = (api, bare)
    }

    /// Starts this program with other arguments.
    private static func start(_ arguments: [String], _ configure: (Process) -> Void) throws -> Process {
        let process = Process()
        process.executableURL = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        configure(process)
        try process.run()
        return process
    }

    /// Reads the two lines with the ports of the servers; fewer if the process has ended.
    private static func ports(in output: FileHandle) -> [Substring: Int] {
        var text = ""
        while text.count(where: \.isNewline) < 2 {
            let piece = output.availableData
            guard !piece.isEmpty else { break }
            text += String(decoding: piece, as: UTF8.self)
        }
        var ports: [Substring: Int] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ")
            if words.count == 2 { ports[words[0]] = Int(words[1]) }
        }
        return ports
    }

    /// Has the other process set the setting (`page`) or write a line to the pipe (`bare`).
    func write(_ kind: String, _ number: Int) throws {
        try toWriter.write(contentsOf: Data("\(kind) \(number)\n".utf8))
    }

    /// The resident memory of the server, in bytes.
    func residentMemory() throws -> Int {
        #if os(Linux)
            let text = try String(contentsOfFile: "/proc/\(server.processIdentifier)/statm", encoding: .utf8)
            let words = text.split(separator: " ")
            guard words.count > 1, let pages = Int(words[1]) else {
                throw RawConnection.Failure(description: "The server has ended.")
            }
            return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
        #else
            throw RawConnection.Failure(description: "Memory is measured on Linux only.")
        #endif
    }

    /// Ends both processes, and removes their files.
    func end() {
        try? toWriter.close()
        writer.waitUntilExit()
        server.terminate()
        server.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
