import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// Attacks by having several files: what the lock keeps in its state files, and people in the settings files.
@Suite(.timeLimit(.minutes(10))) struct StateFileAttackTests {
    /// A lock after five wrong guesses, whose settings files have a policy, other settings, and earlier versions.
    private static func run(guesses: Int = 5, _ body: (AttackScene) async throws -> Void) async throws {
        try await AttackScene.run(guesses: guesses) { scene in
            for length in 4...6 {
                try await scene.use { process in
                    let policy = process.lock.policy
                    try await policy.commit { (policy.minimumLength, policy.attemptLimit) = (length, 19) }
                    try process.stores[1].keys.setValue(length, forKey: "theme")
                }
            }
            try await body(scene)
        }
    }

    @Test("The settings files have nothing of the lock, and the state files have nothing else") func files()
        async throws
    {
        try await Self.run { scene in
            for (settings, state) in zip(scene.folder.copies.map(\.lastPathComponent), LockFolder.states) {
                let text = String(decoding: try scene.folder.bytes(of: settings), as: UTF8.self)
                #expect(!text.contains("passcode"), "\(text)")
                let remembered = String(decoding: try scene.folder.bytes(of: state), as: UTF8.self)
                #expect(remembered.contains("\"attemptCount\": 5"))
                #expect(!remembered.contains("policy") && !remembered.contains("theme"))
                let file = scene.folder.url.appending(path: state).path
                let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            #expect(try scene.folder.files.contains(".settings.json.previous"))
        }
    }

    // MARK: Files that are lost

    private enum Harm: CaseIterable {
        case none, removed, emptied, braces, cut

        func carryOut(on name: String, in folder: LockFolder) throws {
            switch self {
            case .none: break
            case .removed: try folder.remove(name)
            case .emptied: try folder.write(Data(), to: name)
            case .braces: try folder.write(Data("{}".utf8), to: name)
            case .cut:
                let bytes = try folder.bytes(of: name)
                try folder.write(bytes.prefix(bytes.count / 2), to: name)
            }
        }
    }

    private static let names = [
        [".settings.json.journal", "settings.state.json", "settings.json", ".settings.json.previous"],
        [
            ".settings.copy.json.journal", "settings.copy.state.json", "settings.copy.json",
            ".settings.copy.json.previous",
        ],
    ]

    /// Carries out all combinations of harm to journals, state files and settings files.
    private func forEachHarm(to copies: [Int], _ body: (AttackScene, Comment) async throws -> Void) async throws {
        try await Self.run { scene in
            let before = try scene.folder.contents()
            for journal in [Harm.none, .removed, .emptied, .cut] {
                for state in Harm.allCases {
                    // Then nothing of the lock is left (R17). Only the program sees that the state file is there.
                    let isGone = [.removed, .braces].contains(state) && [.removed, .emptied].contains(journal)
                    if copies.count == 2, isGone { continue }
                    for (settings, previous) in [(Harm.none, Harm.none), (.removed, .none), (.cut, .removed)] {
                        try scene.folder.restore(before)
                        for copy in copies {
                            for (name, harm) in zip(Self.names[copy], [journal, state, settings, previous]) {
                                try harm.carryOut(on: name, in: scene.folder)
                            }
                        }
                        let comment = "journal \(journal), state \(state), settings \(settings), previous \(previous)"
                        try await body(scene, Comment(rawValue: comment))
                    }
                }
            }
        }
    }

    @Test(
        "I5, R18: Whatever is harmed of one copy's files, the lock is as strict as before and can be used",
        arguments: [0, 1])
    func oneCopy(_ copy: Int) async throws {
        try await forEachHarm(to: [copy]) { scene, comment in
            try await scene.use { process in
                let found = await process.lock.status()
                #expect(found == AttackScene.delayed, comment)
                let status = try await process.freshStatus()
                #expect(status == AttackScene.delayed, comment)
                let count = await process.lock.attemptCount
                #expect(count == 5, comment)
            }
        }
    }

    @Test("R3, R21: Whatever is harmed of both copies' files, as long as one is left that has the lock, no lock is new")
    func bothCopies() async throws {
        try await forEachHarm(to: [0, 1]) { scene, comment in
            try await scene.use { process in
                let found = await process.lock.status()
                #expect(!found.isLessStrict(than: AttackScene.delayed), comment)
                let result = try await process.lock.enrol(Passcode("mine mine"))
                #expect(result != .accepted, comment)
            }
        }
    }

    // MARK: What is typed where it does not belong

    /// Text for a settings file, whose owner writes the lock's values there.
    private static let typed = [
        #"{"passcode": {"attemptCount": 0}}"#, #"{"passcode": {"attemptCount": 0, "wait": null}}"#,
        #"{"passcode": {"attemptCount": "none"}}"#, #"{"passcode.attemptCount": 0}"#, #"{"passcode": {}}"#,
        #"{"passcode": null}"#, #"{"passcode": 0}"#, #"{"passcode": []}"#, #"{"passcode": {"damage": "none"}}"#,
        #"{"passcode": {"verifier": {"algorithm": "none"}}}"#, #"{"passcode": {"version": 99, "lock": "mine"}}"#,
        #"{"passcode": {"attemptCount": 0, "generation": 99, "wait": {"length": "1s", "start": "0s", "bootID": ""}}}"#,
    ]

    @Test(
        "R18, R19, I5: Lock values in the settings files are edits like others: they weaken no lock, and overwrite none",
        arguments: typed, 1...3)
    func typedIntoSettings(_ text: String, _ copies: Int) async throws {
        try await Self.run { scene in
            for copy in 0...1 where copies & (1 << copy) != 0 {
                try scene.folder.write(Data(text.utf8), to: scene.folder.copies[copy].lastPathComponent)
            }
            for _ in 1...2 {
                try await scene.expectHeld()
                try await scene.use { process in
                    let result = try await process.lock.enrol(Passcode("mine mine"))
                    #expect(result != .accepted)
                    // One copy is enough to continue.
                    if copies < 3 {
                        let status = await process.lock.status()
                        #expect(status == AttackScene.delayed)
                    }
                }
            }
        }
    }

    @Test("R19: … also while the lock runs, which undoes them", arguments: typed, 1...3)
    func typedWhileItRuns(_ text: String, _ copies: Int) async throws {
        try await Self.run { scene in
            try await scene.use { process in
                for copy in 0...1 where copies & (1 << copy) != 0 {
                    try scene.folder.write(Data(text.utf8), to: scene.folder.copies[copy].lastPathComponent)
                    // The edit has been seen when the policy or the theme, which it does not have, is gone.
                    if copy == 0 {
                        for await limit in process.lock.policy.$attemptLimit where limit == 20 { break }
                    } else {
                        try await eventually("the theme is gone") {
                            try process.stores[1].keys.value(forKey: "theme", as: Int.self) == nil
                        }
                    }
                }
                try await AttackScene.expectHeld(process)
                let status = try await process.freshStatus()
                #expect(status == AttackScene.delayed)
            }
            try await scene.expectHeld()
        }
    }

    @Test("R17, R18: An earlier record in one settings file does not weaken the lock", arguments: [0, 1])
    func earlierRecord(_ copy: Int) async throws {
        try await Self.run(guesses: 1) { scene in
            let earlier = try scene.folder.bytes(of: LockFolder.states[copy])
            try await scene.use { process in
                for _ in 0..<4 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
            }
            try scene.folder.write(earlier, to: scene.folder.copies[copy].lastPathComponent)
            try await scene.expectHeld(tampering: true)
        }
    }

    /// The files of another lock, which has been written more often.
    private static func otherLock(beside scene: AttackScene, hasWait: Bool = false) async throws -> LockFolder {
        let other = LockFolder(url: scene.folder.url.deletingLastPathComponent().appending(path: "other"))
        let process = try await LockProcess(in: other, time: scene.time)
        _ = try await process.lock.enrol(Passcode("mine"))
        for _ in 0..<9 { _ = await process.lock.unlock(with: try Passcode("mine")) }
        if hasWait { for _ in 0..<5 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) } }
        try await process.close()
        return other
    }

    @Test(
        "R18: A copy that has lost its file still shows every later program which lock it belongs to",
        arguments: [0, 1])
    func foreignBesideLoss(_ copy: Int) async throws {
        try await Self.run { scene in
            let other = try await Self.otherLock(beside: scene)
            try scene.folder.remove(LockFolder.states[copy])
            for name in try scene.folder.files where LockFolder.isFile(name, of: 1 - copy) {
                try scene.folder.remove(name)
            }
            for (name, bytes) in try other.contents() where LockFolder.isFile(name, of: 1 - copy) {
                try scene.folder.write(bytes, to: name)
            }
            for _ in 1...3 {
                try await scene.use { process in
                    let result = await process.lock.unlock(with: try Passcode("mine"))
                    guard case .refused(.unavailable(.mismatched)) = result else {
                        Issue.record("\(result)")
                        return
                    }
                    #expect(process.verifier.count == 0)
                }
            }
        }
    }

    @Test("R18: Another lock's record in one settings file does not win", arguments: [0, 1], [false, true])
    func foreignRecord(_ copy: Int, hasWait: Bool) async throws {
        try await Self.run { scene in
            let other = try await Self.otherLock(beside: scene, hasWait: hasWait)
            let foreign = try other.bytes(of: LockFolder.states[copy])
            try scene.folder.write(foreign, to: scene.folder.copies[copy].lastPathComponent)
            scene.time.advance(by: .seconds(60))
            try await scene.use { process in
                let result = await process.lock.unlock(with: try Passcode("mine"))
                if hasWait {
                    // The record is whole, so it shows that the copies don't belong together.
                    guard case .refused(.unavailable(.mismatched)) = result else {
                        Issue.record("\(result)")
                        return
                    }
                    #expect(process.verifier.count == 0)
                } else {
                    // It lacks the wait, which nobody can remove there: so it is damaged, and the other copy holds.
                    #expect(result == .wrong(.delayed(remaining: .seconds(300), level: 2)))
                }
            }
        }
    }

    @Test(
        "A policy in a state file is one in the settings file, where it goes with the next save", arguments: [0, 1])
    func policyInState(_ copy: Int) async throws {
        try await Self.run { scene in
            let name = LockFolder.states[copy]
            for (limit, expected) in [(7, 7), (100, 7), (20, 20)] {
                let text = String(decoding: try scene.folder.bytes(of: name), as: UTF8.self)
                let edited = "{\"policy\": {\"attemptLimit\": \(limit)}," + text.trimmingPrefix(#/\s*\{/#)
                try scene.folder.write(Data(edited.utf8), to: name)
                try await scene.expectHeld()
                try await scene.use { process in
                    // The second store has no policy.
                    #expect(process.lock.limit == (copy == 0 ? expected : 19))
                    let status = await process.lock.status()
                    #expect(status == AttackScene.delayed)
                }
            }
        }
    }
}
