import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Synchronization
import Testing

/// Attacks by giving the lock's files other names.
@Suite(.timeLimit(.minutes(10))) struct AliasAttackTests {
    /// Names that lead to the lock's files, or to one of them and a copy of the other.
    enum Names: CaseIterable {
        case exchanged, linkedFolder, linkedFiles, firstAndCopy, copyAndSecond, secondAndCopy

        func files(of folder: LockFolder) throws -> [URL] {
            let (manager, files) = (FileManager.default, folder.copies)
            let other = folder.url.deletingLastPathComponent().appending(path: "other \(self)")
            switch self {
            case .exchanged: return files.reversed()
            case .linkedFolder:
                try manager.createSymbolicLink(at: other, withDestinationURL: folder.url)
                return files.map { other.appending(path: $0.lastPathComponent) }
            case .linkedFiles:
                try manager.createDirectory(at: other, withIntermediateDirectories: true)
                let links = ["b.json", "a.json"].map { other.appending(path: $0) }
                for (link, file) in zip(links, files) {
                    try manager.createSymbolicLink(at: link, withDestinationURL: file)
                }
                return links
            case .firstAndCopy, .copyAndSecond, .secondAndCopy:
                try manager.copyItem(at: folder.url, to: other)
                let copies = LockFolder(url: other).copies
                return switch self {
                case .firstAndCopy: [files[0], copies[1]]
                case .copyAndSecond: [copies[0], files[1]]
                default: [files[1], copies[0]]
                }
            }
        }
    }

    private func process(
        at files: [URL], in scene: AttackScene, verifier: TestVerifier = TestVerifier()
    ) async throws -> LockProcess {
        var stores: [SettingsStore] = []
        for file in files { stores.append(try await SettingsStore.open(storage: FileStorage(at: file))) }
        return try await LockProcess(on: stores, time: scene.time, verifier: verifier)
    }

    private func guessAtOnce(_ processes: [LockProcess], times: Int) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<processes.count * times {
                let lock = processes[number % processes.count].lock
                group.addTask { await lock.unlock(with: try LockFixture.anotherWrong()) }
            }
            try await group.waitForAll()
        }
    }

    @Test("R6, I4: Guesses through other names of the files count like all others", arguments: Names.allCases)
    func oneName(_ names: Names) async throws {
        try await AttackScene.run(guesses: 0) { scene in
            let processes = [
                try await process(at: scene.folder.copies, in: scene),
                try await process(at: names.files(of: scene.folder), in: scene),
            ]
            try await guessAtOnce(processes, times: 10)
            #expect(processes.map(\.verifier.count).reduce(0, +) <= 5)
            for process in processes { try await process.close() }
            try await scene.use { process in
                guard case .unavailable(.mismatched) = await process.lock.status() else {
                    try await AttackScene.expectHeld(process)
                    return
                }
            }
        }
    }

    @Test("R6: While a passcode is compared, none is through other names of the files", arguments: Names.allCases)
    func duringComparison(_ names: Names) async throws {
        try await AttackScene.run(guesses: 0) { scene in
            try await scene.use { process in
                let files = try names.files(of: scene.folder)
                process.verifier.onVerify {
                    let verifier = TestVerifier()
                    var stores: [SettingsStore] = []
                    for file in files {
                        guard let store = try? await SettingsStore.open(storage: FileStorage(at: file)) else { return }
                        stores.append(store)
                    }
                    let other = try? await PasscodeLockout(
                        in: stores[0], and: stores[1], time: scene.time, verifier: verifier, patience: .milliseconds(50)
                    )
                    guard let other, let right = try? LockFixture.right,
                        case .refused(.unavailable(.busy)) = await other.unlock(with: right)
                    else {
                        Issue.record("Another name got a turn at the same time.")
                        return
                    }
                    #expect(verifier.count == 0)
                    for store in stores { try? await store.close() }
                }
                let result = await process.lock.unlock(with: try LockFixture.right)
                #expect(result == .accepted)
                #expect(process.verifier.count == 1)
            }
        }
    }

    /// Pairs that all have the first file, and so its count. Two that share no file are no longer one lock (R17).
    private static let sharing: [Names] = [.exchanged, .linkedFolder, .linkedFiles, .firstAndCopy]

    @Test("R6, I4, I7: Guesses through all names at once are compared one at a time, and none is lost")
    func allNames() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            let atOnce = Atomic(0)
            let most = Atomic(0)
            var processes = [try await process(at: scene.folder.copies, in: scene)]
            for names in Self.sharing {
                processes.append(try await process(at: names.files(of: scene.folder), in: scene))
            }
            for process in processes {
                process.verifier.onVerify {
                    most.max(atOnce.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                    for _ in 0..<20 { await Task.yield() }
                    atOnce.subtract(1, ordering: .relaxed)
                }
            }
            try await guessAtOnce(processes, times: 4)
            #expect(most.load(ordering: .relaxed) == 1)
            let compared = processes.map(\.verifier.count).reduce(0, +)
            #expect(compared <= 5)
            for process in processes {
                try await process.close()
                if let count = await process.lock.attemptCount { #expect(count <= 20) }
            }
        }
    }

    @Test("R6: Two names of one file are not two copies")
    func sameFile() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            let first = scene.folder.copies[0]
            let link = scene.folder.url.appending(path: "link.json")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: first)
            let stores = [try await SettingsStore.open(at: first), try await SettingsStore.open(at: link)]
            await #expect(throws: SettingsError.self) {
                _ = try await PasscodeLockout(in: stores[0], and: stores[1], time: scene.time)
            }
            for store in stores { try await store.close() }
        }
    }

    @Test("R6: A copy that a program changes between the two writes of a try is not overwritten", arguments: [2, 3])
    func changedMeanwhile(_ call: Int) async throws {
        let before = try await LockFixture.enrolled()
        let other = try await before.afterCrash()
        try await other.guessWrong()
        let memory = InMemoryStorage(before.trees.1)
        let first = try await SettingsStore.open(storage: InMemoryStorage(before.trees.0))
        let second = try await SettingsStore.open(
            storage: InterruptedStorage(memory) { number in
                if number >= call { memory.simulateExternalChange(other.trees.1) }
            })
        let verifier = TestVerifier()
        let lock = try await PasscodeLockout(in: first, and: second, time: before.time, verifier: verifier)
        for _ in 0..<2 {
            guard case .refused(.unavailable) = await lock.unlock(with: try LockFixture.anotherWrong()) else {
                // The change came after the first try's last write.
                guard call == 3 else {
                    Issue.record("A try went on although its copy was changed meanwhile.")
                    return
                }
                continue
            }
        }
        #expect(memory.tree["passcode.id"] == other.trees.1["passcode.id"])
        #expect(verifier.count == call - 2)
    }

    @Test("A try that waits too long for its turn is refused, and says for whom it waits", arguments: [0, 1])
    func heldTurn(_ copy: Int) async throws {
        try await AttackScene.run(guesses: 0) { scene in
            let name = ".\(scene.folder.copies[copy].lastPathComponent).passcode.lock"
            let holder = open(scene.folder.url.appending(path: name).path, O_RDONLY)
            defer { close(holder) }
            #expect(flock(holder, LOCK_EX) == 0)
            let verifier = TestVerifier()
            let stores = try await scene.folder.openStores()
            let lock = try await PasscodeLockout(
                in: stores[0], and: stores[1], time: scene.time, verifier: verifier, patience: .milliseconds(50))
            guard case .refused(.unavailable(.busy(let sentence))) = await lock.unlock(with: try LockFixture.right)
            else {
                Issue.record("The try did not wait for its turn.")
                return
            }
            #if os(Linux)
                #expect(sentence.contains("\(ProcessInfo.processInfo.processIdentifier)"), "\(sentence)")
            #endif
            #expect(verifier.count == 0)
            #expect(flock(holder, LOCK_UN) == 0)
            #expect(await lock.unlock(with: try LockFixture.right) == .accepted)
            for store in stores { try await store.close() }
        }
    }

    @Test("A try that finds a copy's file locked for too long is refused as busy", arguments: [0, 1])
    func heldFile(_ copy: Int) async throws {
        let before = try await LockFixture.enrolled()
        let trees = [before.trees.0, before.trees.1]
        var stores: [SettingsStore] = []
        for (index, tree) in trees.enumerated() {
            let memory = InMemoryStorage(tree)
            stores.append(try await SettingsStore.open(storage: index == copy ? LockedStorage(base: memory) : memory))
        }
        let verifier = TestVerifier()
        let lock = try await PasscodeLockout(in: stores[0], and: stores[1], time: before.time, verifier: verifier)
        guard case .refused(.unavailable(.busy)) = await lock.unlock(with: try LockFixture.right) else {
            Issue.record("The lock's status is \(await lock.status()).")
            return
        }
        #expect(verifier.count == 0)
    }
}

/// A storage that another program keeps locked.
private struct LockedStorage: StorageWrapper {
    let base: any Storage

    func lockForTransaction() async throws(StorageError) -> StorageLease? {
        throw StorageError(.locked, "The file of this test is locked by process 1.")
    }
}
