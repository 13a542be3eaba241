import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// I5: Damage to a single file never helps an attacker.
///
/// `SETTLE_DAMAGE_STEP=1` flips each byte and cuts after each one, which takes long.
@Suite(.timeLimit(.minutes(10))) struct FileDamageTests {
    /// How the processes that used the lock ended.
    enum Ending: CaseIterable {
        case closed
        /// The last ones were killed: the journals have values that the files lack.
        case killed
        /// All were killed, so there are journals but no files yet.
        case alwaysKilled
    }

    /// A lock after seven wrong guesses, five minutes into its wait of fifteen.
    private struct Scene {
        let folder: LockFolder
        let ending: Ending
        let time = SimulatedTime()
        /// The files before the damage.
        var contents: [String: Data] = [:]
        /// The earlier versions of each file, oldest first.
        var earlier: [String: [Data]] = [:]

        static let count = 7
        static let status = LockStatus.delayed(remaining: .minutes(10), level: 3)

        init(in folder: LockFolder, after ending: Ending) async throws {
            self.folder = folder
            self.ending = ending
            for count in 0...Self.count {
                let life = ProcessLife()
                let process = try await LockProcess(in: folder, time: time) { MortalStorage($0, of: life) }
                // The settings file has several versions, too.
                let policy = process.lock.policy
                try await policy.commit {
                    (policy.attemptLimit, policy.minimumLength) = (20 - count % 3, 4 + count % 2)
                }
                if count == 0 {
                    _ = try await process.lock.enrol(LockFixture.right)
                } else {
                    // The second process gives the right passcode, so that there are old files with other numbers.
                    if count == 2 { _ = await process.lock.unlock(with: try LockFixture.right) }
                    time.advance(by: LockSchedule.standard.wait(after: count - 1))
                    try await guess(process, upTo: count)
                }
                if ending == .alwaysKilled || (ending == .killed && count > 4) { life.bury() }
                try await process.close()
                remember(try folder.contents())
            }
            time.advance(by: .minutes(5))
        }

        private func guess(_ process: LockProcess, upTo count: Int) async throws {
            while await process.lock.attemptCount.map({ $0 < count }) == true {
                try Task.checkCancellation()
                _ = await process.lock.unlock(with: try LockFixture.anotherWrong())
            }
        }

        private mutating func remember(_ now: [String: Data]) {
            for (name, bytes) in contents where now[name] != bytes { earlier[name, default: []].append(bytes) }
            contents = now
        }

        /// Opens the lock after a file was changed; sometimes twice, because the second process finds what the first
        /// one made of it.
        ///
        /// - Parameter mayBeOld: The storage may find an older state whole, and can't tell that it is not the newest:
        ///   the lock sees two good copies that no crash explains, and refuses both (R18).
        func expectUsable(_ name: String, _ bytes: Data?, _ what: String, mayBeOld: Bool? = nil) async throws {
            let mayBeOld = mayBeOld ?? (ending != .closed)
            try folder.restore(contents)
            if let bytes { try folder.write(bytes, to: name) } else { try folder.remove(name) }
            for opening in 1...(what.utf8.reduce(0) { $0 &+ Int($1) } % 3 == 0 ? 2 : 1) {
                let process = try await LockProcess(in: folder, time: time)
                let comment = Comment(rawValue: "\(name) \(what), opening \(opening)")
                let found = await process.lock.status()
                let status = try await process.freshStatus()
                for status in [found, status] { #expect(!status.isLessStrict(than: Self.status), comment) }
                if let count = await process.lock.attemptCount { #expect(count >= Self.count, comment) }
                let result = await process.lock.unlock(with: try LockFixture.right)
                #expect(result != .accepted, comment)
                #expect(process.verifier.count == 0, comment)
                if case .unavailable(let reason) = status {
                    guard mayBeOld, case .mismatched = reason else {
                        Issue.record("\(comment): \(reason)")
                        continue
                    }
                }
                try await process.close()
            }
        }
    }

    private static let step = ProcessInfo.processInfo.environment["SETTLE_DAMAGE_STEP"].flatMap(Int.init) ?? 1_999

    /// The bytes to damage: a sample of all, and those around the deciding numbers.
    private func offsets(in bytes: Data, step: Int) -> [Int] {
        var offsets = Set(stride(from: 0, to: bytes.count, by: step))
        offsets.insert(bytes.count - 1)
        for word in ["\"attemptCount\":", "\"generation\":", "\"version\":"] {
            guard let range = bytes.range(of: Data(word.utf8)) else { continue }
            offsets.formUnion(range.upperBound - 3..<min(range.upperBound + 4, bytes.count))
        }
        return offsets.filter(bytes.indices.contains).sorted()
    }

    private func withScene(
        _ ending: Ending, _ body: (Scene, _ name: String, _ bytes: Data) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { url in
            let scene = try await Scene(in: LockFolder(url: url), after: ending)
            let journal = ".settings.json.journal"
            let names = scene.contents.keys
            if ending == .closed { #expect(Set(LockFolder.states + ["settings.json"]).isSubset(of: names), "\(names)") }
            try await scene.expectUsable(journal, scene.contents[journal], "as it was")
            for (name, bytes) in scene.contents.sorted(by: { $0.key < $1.key }) { try await body(scene, name, bytes) }
        }
    }

    @Test(
        "I5, R18: A missing or empty file neither weakens the lock nor makes it unusable",
        arguments: Ending.allCases)
    func lost(_ ending: Ending) async throws {
        try await withScene(ending) { scene, name, _ in
            try await scene.expectUsable(name, nil, "removed")
            try await scene.expectUsable(name, Data(), "emptied")
        }
    }

    @Test(
        "I5, R18: A file cut anywhere neither weakens the lock nor makes it unusable", arguments: Ending.allCases)
    func cut(_ ending: Ending) async throws {
        try await withScene(ending) { scene, name, bytes in
            for length in offsets(in: bytes, step: Self.step * 2 + 1) {
                try await scene.expectUsable(name, bytes.prefix(length), "cut to \(length)")
            }
        }
    }

    @Test(
        "I5, R18: A bit flipped anywhere neither weakens the lock nor makes it unusable",
        arguments: Ending.allCases)
    func flipped(_ ending: Ending) async throws {
        try await withScene(ending) { scene, name, bytes in
            for offset in offsets(in: bytes, step: Self.step) {
                var damaged = bytes
                damaged[offset] ^= UInt8(1 << (offset % 8))
                try await scene.expectUsable(name, damaged, "flipped at \(offset)")
            }
        }
    }

    @Test(
        "I5, R18: An old version of a file does not weaken the lock", arguments: Ending.allCases)
    func putBack(_ ending: Ending) async throws {
        try await withScene(ending) { scene, name, _ in
            for (number, old) in (scene.earlier[name] ?? []).enumerated() {
                try await scene.expectUsable(name, old, "as it was \(number)", mayBeOld: true)
            }
        }
    }

    @Test("R18: A damaged copy is rewritten, so that the other one may be damaged next", arguments: [0, 1])
    func healing(_ first: Int) async throws {
        try await withTemporaryFolder { url in
            let scene = try await Scene(in: LockFolder(url: url), after: .closed)
            for index in [first, 1 - first, first] {
                let name = scene.folder.copies[index].lastPathComponent
                for file in [name, LockFolder.states[index], ".\(name).journal"] {
                    try scene.folder.write(Data("{\"a\"".utf8), to: file)
                }
                let process = try await LockProcess(in: scene.folder, time: scene.time)
                let status = try await process.freshStatus()
                #expect(status == Scene.status)
                #expect(await process.lock.auditRecords.contains { $0.event == .tampering })
                try await process.close()
            }
        }
    }
}
