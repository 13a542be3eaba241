import Foundation

/// A process that adds notes.
struct WorkingProcess {
    private let process = Process()
    private let output: URL

    init(_ path: String, _ name: String, in folder: URL) throws {
        output = folder.appending(path: name)
        guard FileManager.default.createFile(atPath: output.path, contents: nil) else {
            throw NotesError(description: "“\(output.path)” can't be created.")
        }
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["work", "--database", path, name]
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
    }

    /// Waits for its first commit.
    func begun() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try acknowledged().isEmpty {
            guard process.isRunning, ContinuousClock.now < end else {
                process.terminate()
                throw NotesError(description: "A process has added no note.")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Kills it at whatever it does.
    ///
    /// - Returns: The notes that it has acknowledged, by number.
    func kill() throws -> [Int: String] {
        guard process.isRunning else { throw NotesError(description: "A process has ended by itself.") }
        send(SIGKILL, to: process.processIdentifier)
        process.waitUntilExit()
        return try acknowledged()
    }

    private func acknowledged() throws -> [Int: String] {
        let text = try String(contentsOf: output, encoding: .utf8)
        var notes: [Int: String] = [:]
        // A line without its end was not written whole.
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let parts = line.split(separator: " ")
            if parts.count == 2, let number = Int(parts[0]) { notes[number] = String(parts[1]) }
        }
        return notes
    }
}

/// The system's function, which a method named `kill` hides.
private func send(_ signal: CInt, to id: pid_t) { _ = kill(id, signal) }
