import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Synchronization
import Testing

/// I1 and I5, with a crash at every system call of a lock's life.
@Suite(.timeLimit(.minutes(10))) struct LockCrashTests {
    /// What is known outside the process.
    enum Event: Sendable {
        /// A passcode was compared: an observer of the processor knows that much.
        case compared
        case wrong
        /// This passcode was reported as accepted, and is in force from now on.
        case accepted(String)
    }

    private static let secondFile = "second/copy.json"
    private static let witnessFile = "witness/witness.json"

    /// Enrols, guesses wrong, then right, then wrong again, and changes the passcode.
    private func live(_ run: CrashRun<Event>, hasWitness: Bool = false) async throws {
        let stores = [try await run.openStore(), try await run.openStore(named: Self.secondFile)]
        let verifier = TestVerifier()
        verifier.onVerify { run.acknowledge(.compared) }
        let witness = hasWitness ? try await StoredWitness(in: run.openStore(named: Self.witnessFile)) : nil
        let process = try await LockProcess(
            on: stores, time: SimulatedTime(), verifier: verifier, witness: witness)
        #expect(try await process.lock.enrol(Passcode("right 0")) == .accepted)
        run.acknowledge(.accepted("right 0"))
        for guess in ["one wrong", "two wrong"] { try await guessWrong(guess, process, run) }
        let result = await process.lock.unlock(with: try Passcode("right 0"))
        #expect(result == .accepted)
        run.acknowledge(.accepted("right 0"))
        try await guessWrong("three wrong", process, run)
        #expect(try await process.lock.enrol(Passcode("right 1"), replacing: Passcode("right 0")) == .accepted)
        run.acknowledge(.accepted("right 1"))
        try await guessWrong("four wrong", process, run)
        try await run.settle()
    }

    private func guessWrong(_ guess: String, _ process: LockProcess, _ run: CrashRun<Event>) async throws {
        let result = await process.lock.unlock(with: try Passcode(guess))
        #expect(result == .wrong(.ready))
        run.acknowledge(.wrong)
    }

    /// What must be true of the recovered lock.
    private struct Expectation {
        /// Comparisons since the last reported success.
        var compared = 0
        /// The last one may have been right, without having been reported.
        var mayHaveSucceeded = false
        /// The passcode in force; `nil` before one was reported.
        var passcode: String?

        init(_ events: [Event]) {
            for event in events {
                switch event {
                case .compared:
                    compared += 1
                    mayHaveSucceeded = true
                case .wrong: mayHaveSucceeded = false
                case .accepted(let passcode):
                    (compared, mayHaveSucceeded, self.passcode) = (0, false, passcode)
                }
            }
        }
    }

    @Test(
        "R2, R17, I1: After a crash at any system call, each comparison is counted and nothing reported is lost",
        arguments: [false, true])
    func everyCrash(_ hasWitness: Bool) async throws {
        try await forEachCrashPoint(acknowledging: Event.self, maximumImagesPerPoint: hasWitness ? 2 : 3) { run in
            try await live(run, hasWitness: hasWitness)
        } check: { recovered in
            let comment = Comment(rawValue: "\(recovered)")
            let expected = Expectation(recovered.acknowledged)
            let stores = [recovered.store, try await recovered.store(named: Self.secondFile)]
            let witnessStore = hasWitness ? try await recovered.store(named: Self.witnessFile) : nil
            let witness =
                if let witnessStore { try await StoredWitness(in: witnessStore) } else { nil as StoredWitness? }
            let process = try await LockProcess(on: stores, time: SimulatedTime(), witness: witness)
            guard let passcode = expected.passcode else {
                // An enrolment that was not reported may exist or not, but is not damaged.
                let status = await process.lock.status()
                #expect(status == .ready || status == .unavailable(.notEnrolled), comment)
                return
            }
            #expect(try await process.freshStatus() == .ready, comment)
            let count = try #require(await process.lock.attemptCount, comment)
            // Only a right passcode resets the count, in both copies at once or not at all.
            #expect(count >= expected.compared || (expected.mayHaveSucceeded && count == 0), comment)
            #expect(count <= expected.compared + 1, comment)
            let records = await process.lock.auditRecords
            #expect(!records.contains { $0.event == .tampering }, comment)
            // The old passcode or, if the change was in progress, the new one.
            var result = await process.lock.unlock(with: try Passcode(passcode))
            if result != .accepted, expected.mayHaveSucceeded {
                result = await process.lock.unlock(with: try Passcode("right 1"))
            }
            #expect(result == .accepted, comment)
            for store in stores { try await store.close() }
            try await witnessStore?.close()
        }
    }

    @Test(
        "I5: After a crash at any system call and the loss of one copy, each comparison is counted", arguments: [0, 1])
    func everyCrashAndLoss(_ lost: Int) async throws {
        try await forEachCrashPoint(acknowledging: Event.self, maximumImagesPerPoint: 2) { run in
            try await live(run)
        } check: { recovered in
            let comment = Comment(rawValue: "\(recovered)")
            let expected = Expectation(recovered.acknowledged)
            guard expected.passcode != nil else { return }
            // Nothing is left of the lost copy, not even a sign that it existed.
            let left = lost == 0 ? try await recovered.store(named: Self.secondFile) : recovered.store
            let empty = try await SettingsStore.open(storage: InMemoryStorage())
            let stores = lost == 0 ? [empty, left] : [left, empty]
            let process = try await LockProcess(on: stores, time: SimulatedTime())
            let status = try await process.freshStatus()
            #expect(!status.isLessStrict(than: .ready), comment)
            let count = try #require(await process.lock.attemptCount, comment)
            #expect(count >= expected.compared || expected.mayHaveSucceeded, comment)
        }
    }
}
