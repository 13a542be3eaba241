import Foundation
import PasscodeLock
import SettleTesting
import Testing

/// The way back for an owner who can't open the lock any more.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RecoverTests {
    private static let policy = Data(#"{"policy": {"attemptLimit": 19}}"#.utf8)

    private func withLock(_ body: (_ lock: LockFolder, _ recover: [String]) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder)
            try lock.write(Self.policy, to: "settings.json")
            try await lock.enrol("2580", cost: ScryptCost(rounds: 16), wrongGuesses: 5)
            try await body(lock, ["recover", "--file", lock.copies[0].path])
        }
    }

    @Test("Without --yes it names the files and changes nothing")
    func asks() async throws {
        try await withLock { lock, recover in
            let before = try lock.contents()
            let ended = try await PasscodeProgram.run(recover, input: Array("recover\n".utf8))
            #expect(ended.exitCode == 64)
            for name in before.keys { #expect(ended.lines.contains { $0.hasSuffix("/\(name)") }) }
            #expect(try lock.contents() == before)
        }
    }

    @Test("At a terminal the word must be typed", arguments: ["yes", "recover"])
    func confirmation(_ word: String) async throws {
        let isDone = word == "recover"
        try await withLock { lock, recover in
            let terminal = try PasscodeTerminal(recover)
            await terminal.see("Type “recover”")
            terminal.type("\(word)\r")
            #expect(await terminal.end().exitCode == (isDone ? 0 : 64))
            #expect(FileManager.default.fileExists(atPath: lock.copies[0].path) != isDone)
        }
    }

    @Test("It moves every file aside, unchanged, and a new passcode can be chosen")
    func moves() async throws {
        try await withLock { lock, recover in
            let before = try lock.contents()
            let enrol = ["enrol", "--file", lock.copies[0].path]
            #expect(try await PasscodeProgram.run(enrol, passcodes: ["1111"]).exitCode == 2)
            #expect(try await PasscodeProgram.run(recover + ["--yes"]).exitCode == 0)
            #expect(try lock.files == ["passcode.recovered-1"])
            let aside = LockFolder(url: lock.url.appending(path: "passcode.recovered-1"))
            #expect(try aside.contents() == before)
            let mode = try FileManager.default.attributesOfItem(atPath: aside.url.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            #expect(try await PasscodeProgram.run(enrol, passcodes: ["1111"]).exitCode == 0)
            #expect(try await PasscodeProgram.run(recover + ["--yes"]).exitCode == 0)
            #expect(try lock.files == ["passcode.recovered-1", "passcode.recovered-2"])
            let again = try await PasscodeProgram.run(recover + ["--yes"])
            #expect(again.exitCode == 0)
            #expect(again.lines.first?.hasPrefix("There is nothing") == true)
        }
    }

    @Test("Of files in .config it moves those in the folder for state, too")
    func movesState() async throws {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder.appending(path: ".config/lock"))
            let state = LockFolder(url: folder.appending(path: ".local/state/lock"))
            try FileManager.default.createDirectory(at: lock.url, withIntermediateDirectories: true)
            try lock.write(Self.policy, to: "settings.json")
            try await lock.enrol("2580", cost: ScryptCost(rounds: 16))
            let before = (try lock.contents(), try state.contents())
            #expect(before.0.keys.sorted() == ["settings.json"])
            #expect(Set(LockFolder.states).isSubset(of: before.1.keys))
            let ended = try await PasscodeProgram.run(["recover", "--file", lock.copies[0].path, "--yes"])
            #expect(ended.exitCode == 0)
            for place in [lock, state] {
                let aside = LockFolder(url: place.url.appending(path: "passcode.recovered-1"))
                #expect(ended.lines.contains { $0.hasSuffix("to \(aside.url.path)") }, "\(ended.lines)")
                #expect(try aside.contents() == (place.url == lock.url ? before.0 : before.1))
            }
            #expect(try lock.files + state.files == ["passcode.recovered-1", "passcode.recovered-1"])
            let enrol = ["enrol", "--file", lock.copies[0].path]
            #expect(try await PasscodeProgram.run(enrol, passcodes: ["1111"]).exitCode == 0)
        }
    }

    @Test("It works where nothing else does: on a damaged lock, on what is left of one, and through a link")
    func anyState() async throws {
        for state in ["damaged", "emptied", "without files", "a folder", "a link"] {
            try await withLock { lock, recover in
                var words = recover
                for name in lock.copies.map(\.lastPathComponent) + LockFolder.states {
                    let file = lock.url.appending(path: name)
                    switch state {
                    case "damaged": try Data("{".utf8).write(to: file)
                    case "emptied": try Data().write(to: file)
                    case "a link": break
                    default: try? FileManager.default.removeItem(at: file)
                    }
                    if state == "a folder" {
                        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
                    }
                }
                if state == "a link" {
                    let place = lock.url.appending(path: "links", directoryHint: .isDirectory)
                    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
                    for copy in lock.copies {
                        try FileManager.default.createSymbolicLink(
                            at: place.appending(path: copy.lastPathComponent), withDestinationURL: copy)
                    }
                    words = ["recover", "--file", place.appending(path: "settings.json").path]
                }
                #expect(try await PasscodeProgram.run(words + ["--yes"]).exitCode == 0, "\(state)")
                #expect(try lock.files.filter { $0 != "links" } == ["passcode.recovered-1"], "\(state)")
                let enrol = ["enrol", "--file", lock.copies[0].path]
                #expect(try await PasscodeProgram.run(enrol, passcodes: ["1111"]).exitCode == 0, "\(state)")
            }
        }
    }

    @Test("A witness keeps its number, so a new lock needs its keeper")
    func witness() async throws {
        try await withTemporaryFolder { folder in
            let witness = folder.appending(path: "witness/number.json").path
            let lock = ["--file", folder.appending(path: "lock/settings.json").path, "--witness", witness]
            #expect(try await PasscodeProgram.run(["enrol"] + lock, passcodes: ["2580"]).exitCode == 0)
            let recovered = try await PasscodeProgram.run(["recover", "--yes"] + lock)
            #expect(recovered.exitCode == 0)
            #expect(recovered.lines.contains { $0.contains("keeps its number") })
            #expect(try await PasscodeProgram.run(["enrol"] + lock, passcodes: ["2580"]).exitCode == 4)
            // The refusal has left its record.
            #expect(try await PasscodeProgram.run(["recover", "--yes"] + lock).exitCode == 0)
            let other = Array(lock.prefix(2)) + ["--witness", witness + ".new.json"]
            #expect(try await PasscodeProgram.run(["enrol"] + other, passcodes: ["2580"]).exitCode == 0)
        }
    }

    @Test("While another process uses a file, nothing is moved")
    func inUse() async throws {
        try await withLock { lock, recover in
            let journal = lock.url.appending(path: ".settings.copy.json.journal")
            let descriptor = open(journal.path, O_RDONLY)
            #expect(flock(descriptor, LOCK_EX) == 0)
            let before = try lock.files
            let ended = try await PasscodeProgram.run(recover + ["--yes"], input: [])
            #expect(ended.exitCode == 4)
            #expect(ended.lines.contains { $0.contains(journal.path) && $0.contains("Another process") })
            #expect(try lock.files == before)
            close(descriptor)
            #expect(try await PasscodeProgram.run(recover + ["--yes"]).exitCode == 0)
        }
    }

    @Test(
        "R21: What is left of a lock keeps a new passcode from being chosen, until it is set aside",
        arguments: [
            "settings.json", "settings.state.json", "settings.copy.json", "settings.copy.state.json",
            ".settings.json.previous", ".settings.copy.json.journal", "settings.state.json.corrupt-1",
        ])
    func traces(_ name: String) async throws {
        try await withTemporaryFolder { folder in
            let lock = LockFolder(url: folder)
            try lock.write(Data(), to: name)
            let file = ["--file", lock.copies[0].path]
            let refused = try await PasscodeProgram.run(["enrol"] + file, input: Array("2580\n".utf8))
            #expect(refused.exitCode == 4)
            #expect(refused.lines.contains { $0.contains("recover”") })
            #expect(try await PasscodeProgram.run(["recover", "--yes"] + file).exitCode == 0)
            #expect(try await PasscodeProgram.run(["enrol"] + file, passcodes: ["2580"]).exitCode == 0)
        }
    }

    @Test("A policy that is there before the lock, and an earlier one, are no sign of a lock")
    func policyIsNoTrace() async throws {
        try await withTemporaryFolder { folder in
            let file = ["--file", folder.appending(path: "settings.json").path]
            for length in 5...7 {
                let words = ["settings"] + file + ["set", "policy.minimumLength", "\(length)"]
                let ended = try await PasscodeProgram.run(words)
                #expect(ended.exitCode == 0, "\(ended.lines)")
            }
            #expect(try LockFolder(url: folder).files.contains(".settings.json.previous"))
            #expect(try await PasscodeProgram.run(["enrol"] + file, passcodes: ["258025"]).exitCode == 64)
            #expect(try await PasscodeProgram.run(["enrol"] + file, passcodes: ["2580258"]).exitCode == 0)
        }
    }

    @Test("Asking for the status of a lock that has never been leaves no trace of one")
    func noTrace() async throws {
        try await withTemporaryFolder { folder in
            let witness = ["--witness", folder.appending(path: "witness/number.json").path]
            let lock = ["--file", folder.appending(path: "lock/settings.json").path] + witness
            for command in ["status", "unlock", "audit"] { _ = try await PasscodeProgram.run([command] + lock) }
            #expect(try await PasscodeProgram.run(["enrol"] + lock, passcodes: ["2580"]).exitCode == 0)
        }
    }
}
