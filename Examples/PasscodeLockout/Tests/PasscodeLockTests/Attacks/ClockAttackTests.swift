import Foundation
import PasscodeLock
import Settle
import SettleTesting
import Testing

/// Attacks by setting the clock and rebooting.
@Suite(.timeLimit(.minutes(10))) struct ClockAttackTests {
    @Test("R15: Setting the clock forward ends no wait, not even in a new process (ava-labs/core-mobile 1144)")
    func forward() async throws {
        try await AttackScene.run { scene in
            scene.time.setWallClock(forwardBy: .days(20_000))
            try await scene.expectHeld()
        }
    }

    @Test("R15: Setting the clock back ends no wait (LTHPasscode 174, owncloud/ios-app 1061)")
    func back() async throws {
        try await AttackScene.run { scene in
            scene.time.setWallClock(forwardBy: .days(-20_000))
            try await scene.expectHeld()
        }
    }

    @Test("R15: Setting the clock forward and back with restarts in between ends no wait (owncloud/ios-app 1324)")
    func forwardAndBack() async throws {
        try await AttackScene.run { scene in
            for days in [20_000, -40_000, 20_000, 365, -365] {
                scene.time.setWallClock(forwardBy: .days(days))
                try await scene.expectHeld()
            }
        }
    }

    @Test("R15: Setting the clock during guesses does not affect their wait")
    func duringTheGuess() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            for days in [20_000, -40_000, 20_000, 10_000, -9_000] {
                try await scene.use { process in
                    scene.time.setWallClock(forwardBy: .days(days))
                    _ = await process.lock.unlock(with: try LockFixture.anotherWrong())
                }
            }
            try await scene.expectHeld()
            scene.time.advance(by: .seconds(60))
            try await scene.use { process in
                let result = await process.lock.unlock(with: try LockFixture.right)
                #expect(result == .accepted, "a set clock locks for ever")
            }
        }
    }

    @Test("R14: Rebooting between guesses does not avoid the wait (firefox-ios 1590, himmelblau 612)")
    func rebooting() async throws {
        try await AttackScene.run { scene in
            for _ in 0..<5 {
                scene.time.reboot(off: .days(30))
                // The uptime of this boot may exceed the uptime at the guess.
                scene.time.advance(by: .seconds(59))
                try await scene.expectHeld(atLeast: .delayed(remaining: .seconds(1), level: 1))
            }
            scene.time.reboot()
            try await scene.expectHeld()
        }
    }

    @Test("R14: A long uptime before the reboot does not shorten the wait (lockbox-local 7)")
    func longerUptime() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            scene.time.advance(by: .days(100))
            try await scene.use { process in
                for _ in 0..<5 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
            }
            scene.time.reboot()
            try await scene.expectHeld()
            scene.time.advance(by: .seconds(60))
            // Nor is it locked until the uptime of the guess is reached again.
            try await scene.use { process in
                let status = await process.lock.status()
                #expect(status == .ready)
            }
        }
    }

    @Test("I6: Reboots and clock changes between guesses allow no more of them than the schedule")
    func everything() async throws {
        try await AttackScene.run(guesses: 0) { scene in
            var (compared, needed, waited) = (0, Duration.zero, Duration.zero)
            for round in 0..<60 {
                if round % 3 == 0 { scene.time.reboot(off: .days(1)) }
                scene.time.setWallClock(forwardBy: .days(round % 2 == 0 ? 5_000 : -5_000))
                scene.time.advance(by: .minutes(round))
                waited += .minutes(round)
                let new = try await scene.guessAndBeKilled(with: LockFixture.anotherWrong())
                guard new > 0 else { continue }
                needed += LockSchedule.standard.wait(after: compared)
                compared += new
                #expect(waited >= needed)
            }
            #expect(compared > 6)
        }
    }

    @Test(
        "R15: No wall clock, however far off, stops the lock or ends a wait",
        arguments: [-1e300, -11_644_473_600, 10_350_000_000, 1e18, 1e300, .infinity, -.infinity, .nan])
    func anyClock(_ seconds: Double) async throws {
        try await withTemporaryFolder { url in
            let time = SimulatedTime(date: Date(timeIntervalSince1970: seconds))
            for name in ["settings.json", "settings.plist"] {
                let stores = [
                    try await SettingsStore.open(storage: FileStorage(at: url.appending(path: name))),
                    try await SettingsStore.open(storage: FileStorage(at: url.appending(path: "copy \(name)"))),
                ]
                let process = try await LockProcess(on: stores, time: time)
                #expect(try await process.lock.enrol(LockFixture.right) == .accepted)
                for _ in 0..<5 { _ = await process.lock.unlock(with: try LockFixture.anotherWrong()) }
                try await AttackScene.expectHeld(process)
                let date = try #require(await process.lock.nextCheckDate)
                #expect((-62_135_596_800...253_402_300_799).contains(date.timeIntervalSince1970))
                #expect(await process.lock.auditRecords.count == 7)
                try await process.close()
                let reopened = [
                    try await SettingsStore.open(storage: FileStorage(at: url.appending(path: name))),
                    try await SettingsStore.open(storage: FileStorage(at: url.appending(path: "copy \(name)"))),
                ]
                let next = try await LockProcess(on: reopened, time: time)
                try await AttackScene.expectHeld(next)
                #expect(await next.lock.auditRecords.count == 7)
                try await next.close()
            }
        }
    }
}
