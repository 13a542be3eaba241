import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// The program `passcode` with input and files that nobody means well with.
@Suite(.serialized, .timeLimit(.minutes(10))) struct InputTests {
    private struct Answer: Decodable {
        var status: String
        var reason: String?
        var detail: String?
        var attemptCount: Int?
        var limit: Int
    }

    private func report(_ file: String) async throws -> (exitCode: CInt, answer: Answer) {
        let output = try await PasscodeProgram.run(["status", "--json", "--file", file])
        let line = try #require(output.lines.first)
        return (output.exitCode, try JSONDecoder().decode(Answer.self, from: Data(line.utf8)))
    }

    @Test("Bytes that are not UTF-8 are no try, in a pipe and at a terminal")
    func notUTF8() async throws {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder)
            try await lock.enrol("\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}", cost: ScryptCost(rounds: 16))
            let file = lock.copies[0].path
            for byte in [0xFF, 0xFE, 0x80, 0xC0] as [UInt8] {
                let input = [byte, byte, byte, byte, UInt8(ascii: "\n")]
                let ended = try await PasscodeProgram.run(["unlock", "--file", file], input: input)
                #expect(ended.exitCode == 64)
                #expect(ended.lines.first?.contains("UTF-8") == true)
                let fresh = folder.appending(path: "fresh.json").path
                #expect(try await PasscodeProgram.run(["enrol", "--file", fresh], input: input).exitCode == 64)
            }
            #expect(try await report(file).answer.attemptCount == 0)
            let terminal = try PasscodeTerminal(["unlock", "--file", file])
            let seen = await terminal.see("Passcode: ")
            terminal.type([0xFF, 0xFF, 0xFF, 0xFF, 0x0D])
            // At the next prompt Ctrl-C is a key again; before that, it is a signal.
            await terminal.see("encoding?\r\nPasscode: ", after: seen)
            terminal.type("\u{3}")
            #expect(await terminal.end().exitCode == 130)
            #expect(try await report(file).answer.attemptCount == 0)
        }
    }

    @Test("A passcode typed in composed form opens the lock in decomposed form")
    func normalized() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json").path
            let enrolled = try await PasscodeProgram.run(["enrol", "--file", file], passcodes: ["caf\u{E9}"])
            #expect(enrolled.exitCode == 0)
            let unlocked = try await PasscodeProgram.run(["unlock", "--file", file], passcodes: ["cafe\u{301}"])
            #expect(unlocked.exitCode == 0)
        }
    }

    @Test("The end of the input ends a passcode, and a carriage return belongs to the end of the line")
    func lineEnds() async throws {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder)
            try await lock.enrol("2580", cost: ScryptCost(rounds: 16))
            for text in ["2580", "2580\r\n"] {
                let words = ["unlock", "--file", lock.copies[0].path]
                #expect(try await PasscodeProgram.run(words, input: Array(text.utf8)).exitCode == 0)
            }
        }
    }

    @Test("What is printed of names and arguments has no control or direction marks, on both streams")
    func escaped() async throws {
        try await withTemporaryFolder { folder in
            let name = "\u{1B}[31m\u{202E}\n.json"
            // A folder where a file should be.
            try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
            let file = folder.appending(path: name).path
            for words in [["status"], ["status", "--json"], ["unlock"], ["audit"], ["unlock", name]] {
                let ended = try await PasscodeProgram.run(words + ["--file", file], input: [])
                let text = ended.lines.joined(separator: "\n")
                #expect(text.contains("31m"))
                #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
                #expect(ended.lines.contains { $0.contains("31m") && $0.contains(".json") })
            }
        }
    }

    @Test("status --json prints its object if the lock can't be opened, too")
    func unopenable() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            let (exitCode, answer) = try await report(file.path)
            #expect(exitCode == 4)
            #expect(answer.status == "unavailable")
            #expect(answer.reason == "notOpened")
            #expect(answer.detail?.contains("settings.json") == true)
            #expect(answer.limit == 20)
        }
    }

    /// A superuser may read it anyhow.
    @Test("… and if it may not be read", .enabled(if: geteuid() != 0))
    func unreadable() async throws {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder)
            try await lock.enrol("2580", cost: ScryptCost(rounds: 16))
            for name in LockFolder.states {
                let file = folder.appending(path: name)
                try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
            }
            let (exitCode, answer) = try await report(lock.copies[0].path)
            #expect(exitCode == 4)
            #expect(answer.reason == "notOpened")
        }
    }

    /// Makes verifiers that would occupy the machine for hours, and checks none.
    private struct CostlyVerifier: PasscodeVerifier {
        func makeVerifier(for passcode: Passcode) -> StoredVerifier {
            let cost = ScryptCost(rounds: 1 << 20, blockSize: 8, parallelism: 16)
            return StoredVerifier(
                algorithm: "scrypt", cost: cost, salt: Data(count: 16), key: Data(count: 32))
        }

        func verify(_ passcode: Passcode, against verifier: StoredVerifier) -> Bool { false }
    }

    @Test("A verifier that asks for too much work is refused before a try counts, with a reason")
    func tooCostly() async throws {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder)
            let stores = try await lock.openStores()
            let costly = try await PasscodeLockout(in: stores[0], and: stores[1], verifier: CostlyVerifier())
            #expect(try await costly.enrol(Passcode("2580")) == .accepted)
            for store in stores { try await store.close() }
            let file = lock.copies[0].path
            let ended = try await PasscodeProgram.run(["unlock", "--file", file], input: Array("2580\n".utf8))
            #expect(ended.exitCode == 4)
            #expect(ended.lines.joined().contains("more work"))
            let (exitCode, answer) = try await report(file)
            #expect(exitCode == 4)
            #expect(answer.reason == "damaged")
            #expect(answer.attemptCount == 0)
        }
    }
}
