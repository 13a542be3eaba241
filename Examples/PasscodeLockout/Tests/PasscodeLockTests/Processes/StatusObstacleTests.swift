import Foundation
import PasscodeLock
import SettleTesting
import Testing

@testable import passcode

/// The output of `passcode status` for a lock whose next try can't be stored.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StatusObstacleTests {
    private struct Answer: Decodable {
        var status: String
        var reason: String?
        var detail: String?
    }

    private func withLock(wrongGuesses: Int = 0, _ body: (LockFolder) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder)
            try await lock.enrol("2580", cost: ScryptCost(rounds: 16), wrongGuesses: wrongGuesses)
            try await body(lock)
        }
    }

    private func report(_ lock: LockFolder) async throws -> (exitCode: CInt, answer: Answer) {
        let output = try await PasscodeProgram.run(["status", "--json", "--file", lock.copies[0].path])
        return (
            output.exitCode, try JSONDecoder().decode(Answer.self, from: Data(try #require(output.lines.first).utf8))
        )
    }

    /// Puts a folder where the second copy has the file for turns.
    private func blockTurns(_ lock: LockFolder) throws -> String {
        let name = ".settings.copy.json.passcode.lock"
        if try lock.files.contains(name) { try lock.remove(name) }
        try FileManager.default.createDirectory(
            at: lock.url.appending(path: name), withIntermediateDirectories: false)
        return name
    }

    @Test("A folder where the lock has a file is said, and stays")
    func folderForFile() async throws {
        try await withLock { lock in
            let name = try blockTurns(lock)
            let (exitCode, answer) = try await report(lock)
            #expect(exitCode == 4 && answer.status == "unavailable" && answer.reason == "notSaved", "\(answer)")
            #expect(answer.detail?.contains("\(name)” is a folder") == true, "\(answer)")
            let path = lock.url.appending(path: name).path
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
            // It says the truth.
            let words = ["unlock", "--file", lock.copies[0].path]
            #expect(try await PasscodeProgram.run(words, passcodes: ["2580"]).exitCode == 4)
        }
    }

    @Test("During a wait it is said beside the wait")
    func delayed() async throws {
        try await withLock(wrongGuesses: 5) { lock in
            #expect(try await report(lock).answer.detail == nil)
            let name = try blockTurns(lock)
            let (exitCode, answer) = try await report(lock)
            #expect(exitCode == 2 && answer.status == "delayed", "\(answer)")
            #expect(answer.detail?.contains(name) == true, "\(answer)")
            let shown = try await PasscodeProgram.run(["status", "--file", lock.copies[0].path])
            #expect(shown.lines.last?.contains(name) == true, "\(shown)")
        }
    }

    @Test("A folder or a journal that may not be written is said, and nothing changes", .enabled(if: geteuid() != 0))
    func readOnly() async throws {
        try await withLock { lock in
            #expect(try await report(lock).exitCode == 0)
            let before = try lock.contents()
            for (name, mode) in [("", 0o500), (".settings.json.journal", 0o400)] {
                let path = name.isEmpty ? lock.url.path : lock.url.appending(path: name).path
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                let (exitCode, answer) = try await report(lock)
                try FileManager.default.setAttributes([.posixPermissions: mode | 0o300], ofItemAtPath: path)
                #expect(exitCode == 4 && answer.reason == "notSaved", "\(name): \(answer)")
                #expect(answer.detail?.contains("can't be written") == true, "\(name): \(answer)")
            }
            #expect(try lock.contents() == before)
        }
    }

    @Test("Where there is nothing yet, the folder in which it would be made counts")
    func notMadeYet() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a/b/settings.json")
        #expect(CopyFiles.obstacle(to: [file]) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
}
