import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// Attacks by removing files, restoring old ones and editing them.
@Suite(.timeLimit(.minutes(10))) struct FileAttackTests {
    private static func files(of copy: Int, in folder: LockFolder) throws -> [String] {
        try folder.files.filter { LockFolder.isFile($0, of: copy) }
    }

    @Test("R18: Removing one copy with all its files does not weaken the lock", arguments: [0, 1])
    func removingOne(_ copy: Int) async throws {
        try await AttackScene.run { scene in
            for name in try Self.files(of: copy, in: scene.folder) { try scene.folder.remove(name) }
            try await scene.expectHeld(tampering: true)
        }
    }

    @Test("R3, R21: A lock whose two state files were removed, but not their journals, is not treated as new")
    func removingBothFiles() async throws {
        try await AttackScene.run { scene in
            for name in LockFolder.states { try scene.folder.remove(name) }
            try await scene.expectHeld()
        }
    }

    @Test("R17, R21: If everything is removed, only a witness knows of the lock", arguments: [false, true])
    func removingAll(_ hasWitness: Bool) async throws {
        try await AttackScene.run(hasWitness: hasWitness) { scene in
            for name in try scene.folder.files { try scene.folder.remove(name) }
            guard hasWitness else {
                // Plain files can't resist this: nothing is left that could know.
                try await scene.use { process in
                    let status = try await process.lock.enrol(Passcode("mine"))
                    #expect(status == .accepted)
                }
                return
            }
            try await scene.expectHeld(tampering: true)
            try await scene.use { process in
                guard case .unavailable(.rolledBack) = await process.lock.status() else {
                    Issue.record("an empty folder passed for a first run")
                    return
                }
            }
        }
    }

    @Test(
        "R17: If both journals are removed the state files count, and only a witness knows what these lack",
        arguments: [false, true])
    func removingBothJournals(_ hasWitness: Bool) async throws {
        let journals = [".settings.json.journal", ".settings.copy.json.journal"]
        try await AttackScene.run(hasWitness: hasWitness) { scene in
            // The program has ended by itself, so they lack nothing.
            for name in journals { try scene.folder.remove(name) }
            try await scene.expectHeld()
            let files = try LockFolder.states.map { ($0, try scene.folder.bytes(of: $0)) }
            scene.time.advance(by: .seconds(60))
            #expect(try await scene.guessAndBeKilled(with: try LockFixture.anotherWrong()) == 1)
            // As if the crash had come before they were brought up to date.
            for (name, bytes) in files { try scene.folder.write(bytes, to: name) }
            for name in journals { try scene.folder.remove(name) }
            try await scene.use { process in
                let (status, count) = (await process.lock.status(), await process.lock.attemptCount)
                guard hasWitness else { return #expect(count == 5) }
                guard case .unavailable(.rolledBack) = status else {
                    Issue.record("files without the last try passed for the newest ones")
                    return
                }
            }
        }
    }

    @Test("R3: A running lock whose files are removed keeps its state and writes it again")
    func removingWhileItRuns() async throws {
        try await AttackScene.run { scene in
            try await scene.use { process in
                for name in try scene.folder.files { try scene.folder.remove(name) }
                try await AttackScene.expectHeld(process)
            }
            try await scene.expectHeld()
        }
    }

    @Test("R18: Restoring an old version of one copy with its journal does not weaken the lock", arguments: [0, 1])
    func oldVersionOfOne(_ copy: Int) async throws {
        try await AttackScene.run(guesses: 1) { scene in
            let old = try scene.folder.contents()
            try await scene.use { process in
                for _ in 0..<4 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
            }
            let names = try Self.files(of: copy, in: scene.folder)
            for name in names { try scene.folder.remove(name) }
            for (name, bytes) in old where names.contains(name) { try scene.folder.write(bytes, to: name) }
            try await scene.expectHeld(tampering: true)
        }
    }

    @Test("R17: Only a witness notices old versions of both copies", arguments: [false, true])
    func oldVersionOfBoth(_ hasWitness: Bool) async throws {
        try await AttackScene.run(hasWitness: hasWitness, guesses: 1) { scene in
            let old = try scene.folder.contents()
            try await scene.use { process in
                for _ in 0..<4 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
            }
            try scene.folder.restore(old)
            guard hasWitness else {
                // Plain files can't resist this: they are what they once were.
                try await scene.use { process in
                    let count = await process.lock.attemptCount
                    #expect(count == 1)
                }
                return
            }
            try await scene.expectHeld(tampering: true)
            try await scene.use { process in
                guard case .unavailable(.rolledBack) = await process.lock.status() else {
                    Issue.record("the old state passed for the newest one")
                    return
                }
            }
        }
    }

    @Test("R17: A witness that is restored together with the copies agrees with them")
    func oldVersionOfAll() async throws {
        try await AttackScene.run(hasWitness: true, guesses: 1) { scene in
            let witness = LockFolder(url: try #require(scene.witnessFile).deletingLastPathComponent())
            let (old, oldWitness) = (try scene.folder.contents(), try witness.contents())
            try await scene.use { process in
                for _ in 0..<4 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
            }
            try scene.folder.restore(old)
            try witness.restore(oldWitness)
            try await scene.use { process in
                let count = await process.lock.attemptCount
                #expect(count == 1)
            }
        }
    }

    @Test("R3: With a damaged witness no passcode is compared")
    func damagedWitness() async throws {
        try await AttackScene.run(hasWitness: true) { scene in
            let file = try #require(scene.witnessFile)
            let witness = LockFolder(url: file.deletingLastPathComponent())
            scene.time.advance(by: .seconds(60))
            for name in try witness.files { try witness.write(Data("{".utf8), to: name) }
            try await scene.use { process in
                let result = await process.lock.unlock(with: try LockFixture.right)
                guard case .refused(.unavailable) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(process.verifier.count == 0)
            }
        }
    }

    @Test(
        "R19, R16: Editing the count in one copy or both does not weaken the lock (bifold-wallet 1031)",
        arguments: 1...3)
    func editing(_ copies: Int) async throws {
        try await AttackScene.run { scene in
            for copy in 0...1 where copies & (1 << copy) != 0 { try Self.edit(copy, in: scene.folder) }
            try await scene.expectHeld(tampering: true)
        }
    }

    @Test("R19: Editing the count while the program runs does not weaken the lock", arguments: 1...3)
    func editingWhileItRuns(_ copies: Int) async throws {
        try await AttackScene.run { scene in
            try await scene.use { process in
                for copy in 0...1 where copies & (1 << copy) != 0 { try Self.edit(copy, in: scene.folder) }
                try await AttackScene.expectHeld(process, tampering: true)
                scene.time.advance(by: .seconds(60))
                _ = await process.lock.unlock(with: try LockFixture.wrong)
                let count = await process.lock.attemptCount
                #expect(count == 6)
            }
        }
    }

    @Test("R19: Replacing the whole record by an older one while the program runs does not help", arguments: 1...3)
    func replacingWhileItRuns(_ copies: Int) async throws {
        try await AttackScene.run(guesses: 1) { scene in
            let old = try scene.folder.contents()
            try await scene.use { process in
                for _ in 0..<4 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
            }
            try await scene.use { process in
                for copy in 0...1 where copies & (1 << copy) != 0 {
                    let name = LockFolder.states[copy]
                    try scene.folder.write(try #require(old[name]), to: name)
                }
                try await AttackScene.expectHeld(process, tampering: true)
            }
            try await scene.expectHeld()
        }
    }

    /// Sets a copy's count to 0, and its wait to one that is over.
    private static func edit(_ copy: Int, in folder: LockFolder) throws {
        let name = LockFolder.states[copy]
        let text = String(decoding: try folder.bytes(of: name), as: UTF8.self)
        let edited = text.replacing(#/"attemptCount": \d+/#, with: "\"attemptCount\": 0", maxReplacements: 1)
            .replacing(#/"start": "\d+s"/#, with: "\"start\": \"1s\"")
        #expect(edited != text)
        try folder.write(Data(edited.utf8), to: name)
    }
}
