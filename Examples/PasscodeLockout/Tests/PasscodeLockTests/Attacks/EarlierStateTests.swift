import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// What the files still say about an earlier state of the lock.
@Suite(.timeLimit(.minutes(10))) struct EarlierStateTests {
    @Test(
        "R21: Two emptied state files are not a first run, whatever is beside them",
        arguments: ["{}", "{}\n", " { } ", #"{"x": 1}"#, #"{"passcode": {}}"#], [nil, "{}", #"{"x": 1}"#])
    func emptied(_ text: String, settings: String?) async throws {
        try await AttackScene.run { scene in
            for name in LockFolder.states { try scene.folder.write(Data(text.utf8), to: name) }
            for copy in scene.folder.copies {
                if let settings { try scene.folder.write(Data(settings.utf8), to: copy.lastPathComponent) }
            }
            try await scene.expectHeld()
            try await scene.use { process in
                guard case .unavailable(.damaged) = await process.lock.status() else {
                    Issue.record("Emptied files passed for a first run.")
                    return
                }
                let result = try await process.lock.enrol(Passcode("mine"))
                #expect(result != .accepted)
            }
        }
    }

    @Test("R21: A leftover of a lock in either copy is no first run", arguments: [0, 1])
    func leftover(_ copy: Int) async throws {
        let before = try await LockFixture.enrolled()
        try await before.guessWrong(5)
        let names = [
            "version", "generation", "verifier", "attemptCount", "wait", "lock", "id", "parent", "checksum",
            "place", "nextCheck", "audit", "auditChecksum",
        ]
        for name in names {
            var trees = (SettingTree(), SettingTree())
            // An application's other settings are no reason to refuse.
            trees.0["theme"] = .string("dark")
            trees.1["theme"] = .string("dark")
            let key = try #require(SettingKey("passcode.\(name)"))
            let value = try #require(before.trees.0[key])
            if copy == 0 { trees.0[key] = value } else { trees.1[key] = value }
            let fixture = try await LockFixture(loading: trees)
            #expect(try await fixture.lock.enrol(LockFixture.wrong) != .accepted, "\(name)")
        }
    }

    @Test("R21: A store with other settings, or without a file, is a first run")
    func firstRun() async throws {
        try await withTemporaryFolder { url in
            let folder = LockFolder(url: url)
            for copy in folder.copies {
                try folder.write(Data("{\"theme\": \"dark\"}".utf8), to: copy.lastPathComponent)
            }
            let process = try await LockProcess(in: folder, time: SimulatedTime())
            #expect(try await process.lock.enrol(LockFixture.right) == .accepted)
            try await process.close()
        }
    }

    @Test(
        "R20: After a change of passcode no file has the earlier verifier, not even after a crash",
        arguments: [0, 1, 2])
    func earlierVerifier(_ crash: Int) async throws {
        try await withTemporaryFolder { url in
            let folder = LockFolder(url: url)
            let life = ProcessLife()
            let process = try await LockProcess(in: folder, time: SimulatedTime()) { MortalStorage($0, of: life) }
            #expect(try await process.lock.enrol(Passcode("first passcode")) == .accepted)
            for _ in 0..<3 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
            // As the files spell it. The test's verifier is the passcode backwards.
            let key = Data("first passcode".utf8.reversed())
            let spellings = [key, Data(key.base64EncodedString().utf8)]
            #expect(try contents(of: folder, haveAny: spellings) == true, "The test looks for the wrong bytes.")
            for store in process.stores { try await store.file.flush() }
            // Three writes after the comparison, the last of which is no longer needed.
            if crash > 0 { process.verifier.onVerify { life.end(afterAppends: crash + 1) } }
            let result = try await process.lock.enrol(
                Passcode("second passcode"), replacing: Passcode("first passcode"))
            if crash == 0 { #expect(result == .accepted) }
            if crash == 0 {
                let isFound = try contents(of: folder, haveAny: spellings)
                #expect(!isFound)
            }
            life.bury()
            try? await process.close()
            let next = try await LockProcess(in: folder, time: SimulatedTime())
            #expect(await next.lock.unlock(with: try Passcode("second passcode")) == .accepted)
            #expect(try contents(of: folder, haveAny: spellings) == false)
            try await next.close()
            #expect(try contents(of: folder, haveAny: spellings) == false)
        }
    }

    private func contents(of folder: LockFolder, haveAny needles: [Data]) throws -> Bool {
        try folder.files.contains { name in
            // A file that is being written may get its name at this moment.
            guard let bytes = try? folder.bytes(of: name) else { return false }
            return needles.contains { bytes.range(of: $0) != nil }
        }
    }
}
