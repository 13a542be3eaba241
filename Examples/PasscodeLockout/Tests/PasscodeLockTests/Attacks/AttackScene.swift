import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// A lock in real files whose five free guesses are used up, and an attacker who wants more of them.
struct AttackScene {
    let folder: LockFolder
    let time = SimulatedTime()
    /// The file of the witness, if there is one.
    let witnessFile: URL?

    static let delayed = LockStatus.delayed(remaining: .seconds(60), level: 1)

    /// Runs a test with a lock after five wrong guesses, whose process has ended.
    static func run(
        hasWitness: Bool = false, guesses: Int = 5, _ body: (AttackScene) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { url in
            let elsewhere = url.appending(path: "elsewhere", directoryHint: .isDirectory)
            let home = url.appending(path: "home", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let scene = AttackScene(
                folder: LockFolder(url: home), witnessFile: hasWitness ? elsewhere.appending(path: "witness.json") : nil
            )
            try await scene.use { process in
                _ = try await process.lock.enrol(LockFixture.right)
                for _ in 0..<guesses { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
            }
            try await body(scene)
        }
    }

    /// Runs a new process to its regular end.
    func use<Result>(
        of life: ProcessLife = ProcessLife(), verifier: TestVerifier = TestVerifier(),
        _ body: (LockProcess) async throws -> Result
    ) async throws -> Result {
        var witnessStore: SettingsStore?
        var witness: StoredWitness?
        if let witnessFile {
            let store = try await SettingsStore.open(storage: FileStorage(at: witnessFile))
            witness = try await StoredWitness(in: store)
            witnessStore = store
        }
        let process = try await LockProcess(in: folder, time: time, verifier: verifier, witness: witness) {
            MortalStorage($0, of: life)
        }
        let result = try await body(process)
        if life.isDead { life.bury() }
        try await process.close()
        try await witnessStore?.close()
        return result
    }

    /// Runs a process that is killed while it compares.
    ///
    /// - Returns: The number of passcodes it compared.
    func guessAndBeKilled(with passcode: Passcode) async throws -> Int {
        let life = ProcessLife()
        return try await use(of: life) { process in
            process.verifier.onVerify { life.end() }
            _ = await process.lock.unlock(with: passcode)
            return process.verifier.count
        }
    }

    /// Expects another process to find the lock no milder than before, and to compare no passcode.
    func expectHeld(
        atLeast status: LockStatus = delayed, count: Int = 5, tampering isNoticed: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await use { process in
            try await Self.expectHeld(
                process, atLeast: status, count: count, tampering: isNoticed, sourceLocation: sourceLocation)
            #expect(process.verifier.count == 0, sourceLocation: sourceLocation)
        }
    }

    static func expectHeld(
        _ process: LockProcess, atLeast status: LockStatus = delayed, count: Int = 5, tampering isNoticed: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let compared = process.verifier.count
        for found in [await process.lock.status(), try await process.freshStatus()] {
            #expect(!found.isLessStrict(than: status), "\(found)", sourceLocation: sourceLocation)
        }
        if let found = await process.lock.attemptCount { #expect(found >= count, sourceLocation: sourceLocation) }
        let result = await process.lock.unlock(with: try LockFixture.right)
        #expect(result != .accepted, sourceLocation: sourceLocation)
        #expect(process.verifier.count == compared, sourceLocation: sourceLocation)
        guard isNoticed else { return }
        // The system may be slow to report a replaced file to a running program.
        try await eventually("the attack is noticed") {
            await process.lock.auditRecords.contains { $0.event == .tampering }
        }
    }
}
