import Foundation
import PasscodeLock
import SettleTesting
import Synchronization
import Testing

/// Attacks by ending the program to reset the count: the most common bypass of public lock screens.
@Suite(.timeLimit(.minutes(10))) struct KillAttackTests {
    @Test("R4: Killing the program during comparisons allows five guesses, not thirty (SwiftPasscodeLock 26 and 56)")
    func killing() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            var compared = 0
            for _ in 0..<30 { compared += try await scene.guessAndBeKilled(with: LockFixture.anotherWrong()) }
            #expect(compared == 5)
            try await scene.expectHeld()
        }
    }

    @Test("R4: Killing it before the last guess of a round starts no new round (LolliPin 178, PrivateVault 71)")
    func killingBeforeTheLimit() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            var compared = 0
            for _ in 0..<6 {
                let life = ProcessLife()
                try await scene.use(of: life) { process in
                    for _ in 0..<4 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
                    compared += process.verifier.count
                    life.end()
                }
            }
            #expect(compared == 5)
            try await scene.expectHeld()
        }
    }

    @Test("R1: Killing it while it counts allows no uncounted guess (blink-mobile 4162)", arguments: 0..<6)
    func killingWhileItCounts(_ appends: Int) async throws {
        try await AttackScene.run(guesses: 0) { scene in
            var compared = 0
            for _ in 0..<12 {
                let life = ProcessLife()
                try await scene.use(of: life) { process in
                    life.end(afterAppends: appends)
                    _ = await process.lock.unlock(with: try LockFixture.anotherWrong())
                    compared += process.verifier.count
                    life.end()
                }
                try await scene.use { process in
                    let count = try #require(await process.lock.attemptCount)
                    #expect(count >= compared)
                }
            }
            #expect(compared <= 5)
        }
    }

    @Test("R4: Ending the program and starting it again does not reset the count (LTHPasscode 60 and 78)")
    func leaving() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            var compared = 0
            for _ in 0..<30 {
                try await scene.use { process in
                    _ = await process.lock.unlock(with: try LockFixture.anotherWrong())
                    compared += process.verifier.count
                }
            }
            #expect(compared == 5)
            try await scene.expectHeld()
        }
    }

    @Test("R11: Guesses continue after the first wait, but end at the limit (firefox-ios 1756)")
    func afterTheFirstWait() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            var compared = 0
            for _ in 0..<40 {
                scene.time.advance(by: .days(10_000))
                compared += try await scene.guessAndBeKilled(with: LockFixture.anotherWrong())
            }
            #expect(compared == 20)
            try await scene.expectHeld(atLeast: .exhausted, count: 20)
        }
    }

    @Test("R10: Asking to change the passcode allows no extra guesses (bitkit 1630)")
    func changing() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            var compared = 0
            for _ in 0..<30 {
                try await scene.use { process in
                    let result = try await process.lock.enrol(
                        Passcode("mine"), replacing: LockFixture.anotherWrong())
                    #expect(result != .accepted)
                    compared += process.verifier.count
                }
            }
            #expect(compared == 5)
            try await scene.expectHeld()
        }
    }

    @Test("R6, I4: Two processes that guess at once share five guesses, one after the other")
    func atOnce() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            let processes = [
                try await LockProcess(in: scene.folder, time: scene.time),
                try await LockProcess(in: scene.folder, time: scene.time),
            ]
            let atOnce = Atomic(0)
            let most = Atomic(0)
            for process in processes {
                process.verifier.onVerify {
                    most.max(atOnce.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                    for _ in 0..<20 { await Task.yield() }
                    atOnce.subtract(1, ordering: .relaxed)
                }
            }
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    let lock = processes[number % 2].lock
                    group.addTask { await lock.unlock(with: try LockFixture.anotherWrong()) }
                }
                try await group.waitForAll()
            }
            #expect(most.load(ordering: .relaxed) == 1)
            #expect(processes.map(\.verifier.count).reduce(0, +) == 5)
            for process in processes {
                try await AttackScene.expectHeld(process)
                #expect(await process.lock.attemptCount == 5)
                try await process.close()
            }
        }
    }

    @Test(
        "I4: Removing the named locks lets two processes compare at once, counts both tries, and accepts neither",
        arguments: [true, false])
    func removedTurns(_ isRight: Bool) async throws {
        try await AttackScene.run(guesses: 0) { scene in
            try await scene.use { process in
                process.verifier.onVerify {
                    // During the first comparison another process begins and ends its own.
                    for name in (try? scene.folder.files) ?? [] where name.hasSuffix(".lock") {
                        try? scene.folder.remove(name)
                    }
                    _ = try? await scene.use { other in
                        await other.lock.unlock(with: try LockFixture.anotherWrong())
                    }
                }
                let result = await process.lock.unlock(
                    with: isRight ? try LockFixture.right : try LockFixture.anotherWrong())
                #expect(result != .accepted)
            }
            try await scene.use { process in
                let count = await process.lock.attemptCount
                #expect(count == 2)
            }
        }
    }
}
