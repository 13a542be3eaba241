import ArgumentParser
import Foundation
import GRDB

/// Kills processes that add notes to one database, and looks for everything that they have acknowledged.
struct Trial: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Kills processes that add notes, and counts what is lost.")

    @Option(help: "How many processes to kill.")
    var kills = 200

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-trial-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "notes.sqlite").path
        var acknowledged: [Int: String] = [:]
        // Several processes at once can't set a new database to write-ahead logging.
        var findings = try await Self.findings(path, acknowledged)
        let rounds = max(1, kills / 2)
        for round in 1...rounds {
            let workers = try ["a", "b"].map { try Worker(path, "\($0)\(round)", in: folder) }
            defer { for worker in workers { worker.kill() } }
            for worker in workers { try await worker.waitForNote() }
            for worker in workers.shuffled() {
                try await Task.sleep(for: .microseconds(.random(in: 0...40_000)))
                guard worker.process.isRunning else { throw NotesError(description: "A process has ended by itself.") }
                worker.kill()
                acknowledged.merge(try worker.acknowledged()) { _, new in new }
            }
            findings += try await Self.findings(path, acknowledged)
            guard findings.isEmpty else { break }
        }
        print("\(2 * rounds) kills, \(acknowledged.count) acknowledged commits, \(findings.count) findings.")
        if !findings.isEmpty { throw NotesError(description: findings.prefix(20).joined(separator: "\n")) }
    }

    /// Compares the database with what was acknowledged, and its notes with its settings.
    private static func findings(_ path: String, _ acknowledged: [Int: String]) async throws -> [String] {
        let notes = try await NotesDatabase.open(path)
        let list = try await notes.list()
        let last = notes.settings.lastNumber
        let check = try await notes.pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        try await notes.close()
        var findings = check == "ok" ? [] : ["SQLite finds: \(check ?? "nothing")"]
        if list.map(\.number) != Array(1..<last + 1) {
            findings.append("the settings have number \(last), and the notes \(list.map(\.number).suffix(3))")
        }
        let texts = Dictionary(list.map { ($0.number, $0.text) }, uniquingKeysWith: { $1 })
        for (number, text) in acknowledged where texts[number] != text {
            findings.append("note \(number) is “\(texts[number] ?? "")”, and “\(text)” was acknowledged")
        }
        return findings
    }
}

/// Adds notes, and prints each number when its commit has returned.
struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds notes until it is killed.", shouldDisplay: false)

    @OptionGroup var file: DatabaseOption
    @Argument var name: String

    func run() async throws {
        let notes = try await NotesDatabase.open(file.database)
        // It ends by itself if the trial can't kill it any more.
        let end = ContinuousClock.now + .seconds(60)
        var count = 0
        while ContinuousClock.now < end {
            count += 1
            let text = "\(name)-\(count)"
            let number = try await notes.add(text)
            FileHandle.standardOutput.write(Data("\(number) \(text)\n".utf8))
            // SQLite's lock has no queue: a process that never pauses leaves another one hardly a chance to begin.
            try await Task.sleep(for: .milliseconds(.random(in: 1...5)))
        }
        try await notes.close()
    }
}

/// A process that runs `notes work`.
private struct Worker {
    let process = Process()
    private let output: URL

    init(_ path: String, _ name: String, in folder: URL) throws {
        output = folder.appending(path: name)
        try Data().write(to: output)
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["work", "--database", path, name]
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
    }

    func waitForNote() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try acknowledged().isEmpty {
            guard process.isRunning, ContinuousClock.now < end else {
                throw NotesError(description: "A process has added no note.")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Kills it at whatever it does.
    func kill() {
        guard process.isRunning else { return }
        send(SIGKILL, to: process.processIdentifier)
        process.waitUntilExit()
    }

    /// The notes that it has acknowledged, by number.
    func acknowledged() throws -> [Int: String] {
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
