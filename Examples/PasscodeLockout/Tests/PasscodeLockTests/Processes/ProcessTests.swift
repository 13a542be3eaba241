import ArgumentParser
import Foundation
import Settle
import SettleTesting
import Testing

@testable import PasscodeLock
@testable import passcode

/// The program `passcode` itself, in several processes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ProcessTests {
    private struct Answer: Decodable {
        var status: String
        var attemptCount: Int?
    }

    private struct Record: Decodable {
        var event: String
        var outcome: String?
        var wait: Double?
    }

    /// Provides the arguments of a command for a lock in a new folder, with the passcode 2580.
    private func withLock(_ body: (_ file: URL, _ arguments: (String...) -> [String]) async throws -> Void) async throws
    {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder)
            // Cheap, because the processes are the subject of the tests.
            try await lock.enrol("2580", cost: ScryptCost(rounds: 16))
            func arguments(_ words: String...) -> [String] { words + ["--file", lock.copies[0].path] }
            try await body(lock.copies[0], arguments)
        }
    }

    private func report(_ arguments: [String]) async throws -> Answer {
        let output = try await PasscodeProgram.run(arguments + ["--json"])
        return try JSONDecoder().decode(Answer.self, from: Data(try #require(output.lines.first).utf8))
    }

    @Test("I4: k processes that guess at once count k", arguments: [4])
    func atOnce(_ count: Int) async throws {
        try await withLock { _, arguments in
            let programs = try (0..<count).map {
                try PasscodeProgram(arguments("unlock"), passcodes: ["wrong \($0)"])
            }
            for program in programs { #expect(await program.exitCode() == 1) }
            let report = try await report(arguments("status"))
            #expect(report.attemptCount == count)
            #expect(report.status == "ready")
        }
    }

    @Test("R6: Of seven processes that guess at once, five are compared and the others must wait")
    func tooManyAtOnce() async throws {
        try await withLock { _, arguments in
            let programs = try (0..<7).map { try PasscodeProgram(arguments("unlock"), passcodes: ["wrong \($0)"]) }
            var codes: [Int32] = []
            for program in programs { codes.append(await program.exitCode()) }
            #expect(codes.sorted() == [1, 1, 1, 1, 1, 2, 2])
            let report = try await report(arguments("status"))
            #expect(report.attemptCount == 5)
            #expect(report.status == "delayed")
        }
    }

    @Test("R4: A try counts even if its process is killed while comparing", arguments: ["wrong", "2580"])
    func killed(_ passcode: String) async throws {
        try await withTemporaryFolder { url in
            let folder = LockFolder(url: url)
            let file = folder.copies[0].path
            // Comparing takes long.
            try await folder.enrol("2580", cost: ScryptCost(rounds: 1 << 17))
            var kills = 0
            // On a busy machine the program may end before it can be killed.
            for _ in 0..<4 where kills < 2 {
                let count = try await report(["status", "--file", file]).attemptCount.map { $0 + 1 }
                let code = try await killDuringComparison(
                    ["unlock", "--file", file], passcode, whenCountIs: count, in: folder.copies[1])
                guard code == -9 else { continue }
                kills += 1
                #expect(try await report(["status", "--file", file]).attemptCount == count)
                let audit = try await PasscodeProgram.run(["audit", "--json", "--file", file])
                let records = try audit.lines.map { try JSONDecoder().decode(Record.self, from: Data($0.utf8)) }
                #expect(records.last?.event == "attempt")
                #expect(records.last?.outcome == nil)
            }
            #expect(kills > 0)
            let unlocked = try await PasscodeProgram.run(["unlock", "--file", file], passcodes: ["2580"])
            #expect(unlocked.exitCode == 0)
            #expect(try await report(["status", "--file", file]).attemptCount == 0)
        }
    }

    /// Starts a program, and kills it as soon as the second copy has its try: by then both have it.
    private func killDuringComparison(
        _ arguments: [String], _ passcode: String, whenCountIs count: Int?, in copy: URL
    ) async throws -> Int32 {
        let store = try await SettingsStore.open(storage: FileStorage(at: copy))
        let counts = try await store.group(LockSettings.self, at: "passcode").$attemptCount
        let program = try PasscodeProgram(arguments, passcodes: [passcode])
        let end = Task {
            let code = await program.exitCode()
            // Then there is nothing left to wait for.
            try await store.close()
            return code
        }
        for await found in counts where found == count { program.kill() }
        return try await end.value
    }

    @Test("Exit codes tell the result of a try, and an impossible passcode is no try (R9)")
    func exitCodes() async throws {
        try await withLock { file, arguments in
            let new = file.deletingLastPathComponent().appending(path: "new.json").path
            let empty = file.deletingLastPathComponent().appending(path: "empty.json").path
            for (words, passcodes, code) in [
                (["enrol", "--file", new], ["2580"], 0), (arguments("status"), [], 0),
                (arguments("unlock"), ["258"], 64), (arguments("unlock"), ["25\t80"], 64),
                (arguments("unlock"), [], 64), (arguments("unlock"), ["0000"], 1),
                (arguments("enrol"), ["1111", "new one"], 1),
                (["status", "--file", empty], [], 4), (["unlock", "--file", empty], ["2580"], 4),
                (["status", "--file", ""], [], 64),
                (arguments("status") + ["--folder", empty], [], 64), (["lock"], [], 64),
                (arguments("unlock"), ["2222"], 1), (arguments("unlock"), ["3333"], 1),
                (arguments("unlock"), ["4444"], 1),
                (arguments("status"), [], 2), (arguments("unlock"), ["2580"], 2),
                (arguments("enrol"), ["2580", "new one"], 2),
            ] as [([String], [String], CInt)] {
                let ended = try await PasscodeProgram.run(words, passcodes: passcodes)
                #expect(ended.exitCode == code, "\(words) \(passcodes)")
            }
            #expect(try await report(arguments("status")).attemptCount == 5)
            #expect(!FileManager.default.fileExists(atPath: empty))
            let records = try await PasscodeProgram.run(arguments("audit", "--json")).lines.map {
                try JSONDecoder().decode(Record.self, from: Data($0.utf8))
            }
            #expect(records.last?.event == "delayed")
            #expect(records.last?.wait == 60)
        }
    }

    @Test("A closed standard output traps no program, and no file receives its output")
    func noOutput() async throws {
        try await withLock { _, arguments in
            for (command, code) in [("status", 74), ("audit", 74), ("watch", 74), ("unlock", 0)] as [(String, CInt)] {
                let ended = try await PasscodeProgram.run(arguments(command), passcodes: ["2580"], hasOutput: false)
                #expect(ended.exitCode == code, "\(command)")
            }
            #expect(try await report(arguments("status")).status == "ready")
            let audit = try await PasscodeProgram.run(arguments("audit"))
            #expect(audit.lines.count == 3)
            #expect(!audit.lines.contains { $0.contains("tampering") })
        }
    }

    #if os(Linux)
        @Test("Without descriptors the program ends with a sentence, not with a trap", arguments: [4, 5, 6, 12, 20])
        func withoutDescriptors(_ limit: Int) async throws {
            try await withLock { _, arguments in
                let ended = try await PasscodeProgram.run(
                    arguments("unlock"), input: Array("wrong\n".utf8), descriptors: limit)
                #expect(ended.exitCode == 4)
                #expect(ended.lines.first?.contains("files at once") == true, "\(ended.lines)")
                #expect(try await report(arguments("status")).attemptCount == 0)
            }
        }

        @Test("… and with as many as it asks for it works, beside a witness, too")
        func fewDescriptors() async throws {
            try await withTemporaryFolder { folder in
                let (file, witness) = (folder.appending(path: "s.json"), folder.appending(path: "witness.json"))
                let files = ["--file", file.path, "--witness", witness.path]
                for (words, passcode, code) in [("enrol", "2580", 0), ("unlock", "wrong", 1), ("unlock", "2580", 0)] {
                    let ended = try await PasscodeProgram.run(
                        [words] + files, input: Array("\(passcode)\n".utf8),
                        descriptors: ProcessLimits.neededDescriptors + 3)
                    #expect(ended.exitCode == CInt(code), "\(words): \(ended.lines)")
                }
            }
        }

        @Test("A crash writes no core file, and gives no other program the memory")
        func dumps() async throws {
            try await withLock { _, arguments in
                let watch = try PasscodeProgram(arguments("watch"))
                var lines = watch.lines.makeAsyncIterator()
                #expect(await lines.next() == "ready")
                let limits = try String(contentsOfFile: "/proc/\(watch.id)/limits", encoding: .utf8)
                let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
                #expect(core?.split(separator: " ").filter { $0 == "0" }.count == 2, "\(limits)")
                // The system gives it to root then, as it is for root anyhow.
                let environment = try FileManager.default.attributesOfItem(atPath: "/proc/\(watch.id)/environ")
                #expect(environment[.ownerAccountID] as? Int == 0)
                watch.kill()
                #expect(await watch.exitCode() == -9)
            }
        }
    #endif

    @Test("Where nothing was compared, the exit code is 4: an enrolment that comes second, and a failing verifier")
    func nothingCompared() {
        for result in [.refused(.ready), .failed(.ready), .failed(.exhausted)] as [AttemptResult] {
            #expect(throws: ExitCode(4)) { try Report.end(result) }
        }
    }

    @Test("R22, R25: A watching process shows each try of the others")
    func watching() async throws {
        try await withLock { _, arguments in
            let watch = try PasscodeProgram(arguments("watch"))
            var lines = watch.lines.makeAsyncIterator()
            #expect(await lines.next() == "ready")
            // A try and its status may be shown in either order.
            var told: [String] = []
            for count in 1...5 {
                _ = try await PasscodeProgram.run(arguments("unlock"), passcodes: ["wrong \(count)"])
                while !told.contains(where: { $0.contains("try \(count)") }), let line = await lines.next() {
                    told.append(line)
                }
            }
            while !told.contains(where: { $0.hasPrefix("delayed") }), let line = await lines.next() {
                told.append(line)
            }
            for count in 1...5 { #expect(told.contains { $0.contains("try \(count)") }) }
            #expect(told.contains { $0.hasPrefix("delayed") })
            watch.kill()
            #expect(await watch.exitCode() == -9)
        }
    }
}
