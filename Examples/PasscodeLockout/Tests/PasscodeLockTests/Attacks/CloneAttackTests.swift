import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// I7: Clones, other names and files of another lock, all at once.
@Suite(.timeLimit(.minutes(10))) struct CloneAttackTests {
    private func process(
        at files: [URL], in scene: AttackScene, witness: URL
    ) async throws -> (process: LockProcess, witness: SettingsStore) {
        var stores: [SettingsStore] = []
        for file in files { stores.append(try await SettingsStore.open(storage: FileStorage(at: file))) }
        let witness = try await SettingsStore.open(storage: FileStorage(at: witness))
        let process = try await LockProcess(
            on: stores, time: scene.time, witness: try await StoredWitness(in: witness))
        return (process, witness)
    }

    /// The copies of a lock that has been opened often.
    private func foreignLock(in folder: LockFolder, _ scene: AttackScene) async throws {
        let process = try await LockProcess(in: folder, time: scene.time)
        _ = try await process.lock.enrol(Passcode("mine"))
        for _ in 0..<20 { _ = await process.lock.unlock(with: try Passcode("mine")) }
        try await process.close()
    }

    @Test("R6, R17, R18, I7: Beside one witness, clones, aliases and foreign copies share five guesses")
    func everythingAtOnce() async throws {
        try await AttackScene.run(hasWitness: true, guesses: 0) { scene in
            let parent = scene.folder.url.deletingLastPathComponent()
            let witness = try #require(scene.witnessFile)
            let foreign = LockFolder(url: parent.appending(path: "foreign"))
            try await foreignLock(in: foreign, scene)
            var places = [scene.folder.copies, scene.folder.copies.reversed()]
            for number in 0..<8 {
                let clone = LockFolder(url: parent.appending(path: "clone \(number)"))
                try FileManager.default.copyItem(at: scene.folder.url, to: clone.url)
                places.append(clone.copies)
            }
            let honest = places.count
            for number in 0...1 {
                let clone = LockFolder(url: parent.appending(path: "mixed \(number)"))
                try FileManager.default.copyItem(at: scene.folder.url, to: clone.url)
                places.append(
                    number == 0 ? [foreign.copies[0], clone.copies[1]] : [clone.copies[0], foreign.copies[1]])
            }
            var processes: [(process: LockProcess, witness: SettingsStore)] = []
            for files in places { processes.append(try await process(at: files, in: scene, witness: witness)) }
            try await withThrowingTaskGroup { group in
                for process in processes {
                    group.addTask {
                        for _ in 0..<6 { _ = await process.process.lock.unlock(with: try LockFixture.anotherWrong()) }
                        let result = await process.process.lock.unlock(with: try Passcode("mine"))
                        #expect(result != .accepted)
                    }
                }
                try await group.waitForAll()
            }
            let compared = processes.map(\.process.verifier.count)
            #expect(compared[..<honest].reduce(0, +) <= 5)
            #expect(compared[honest...].reduce(0, +) == 0, "A foreign copy was taken.")
            for process in processes {
                try await process.process.close()
                try await process.witness.close()
            }
        }
    }
}
