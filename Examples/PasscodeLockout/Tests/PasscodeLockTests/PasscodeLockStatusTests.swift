import Foundation
import Settle
import SettleTesting
import Testing

@testable import PasscodeLock

/// The statuses that a lock publishes.
@Suite(.timeLimit(.minutes(10))) struct PasscodeLockStatusTests {
    @Test("R22: The current status comes first, then each newer one, including those caused by time")
    func sequence() async throws {
        let fixture = try await LockFixture()
        var statuses = await fixture.lock.statuses().makeAsyncIterator()
        #expect(await statuses.next() == .unavailable(.notEnrolled))
        _ = try await fixture.lock.enrol(LockFixture.right)
        #expect(await statuses.next() == .ready)
        try await fixture.guessWrong(5)
        #expect(await statuses.next() == .delayed(remaining: .seconds(60), level: 1))
        fixture.time.advance(by: .seconds(60))
        #expect(await statuses.next() == .ready)
    }

    @Test("R22: With an interval, the remaining time is repeated at that interval")
    func countdown() async throws {
        let fixture = try await LockFixture.enrolled()
        try await fixture.guessWrong(5)
        var statuses = await fixture.lock.statuses(every: .seconds(25)).makeAsyncIterator()
        for remaining in [60, 35, 10] {
            #expect(await statuses.next() == .delayed(remaining: .seconds(remaining), level: 1))
            fixture.time.advance(by: .seconds(25))
        }
        #expect(await statuses.next() == .ready)
    }

    @Test("R22: A status is published only once it is durable")
    func order() async throws {
        let fixture = try await LockFixture.enrolled()
        var statuses = await fixture.lock.statuses().makeAsyncIterator()
        _ = await statuses.next()
        fixture.second.failing.fail(.append, with: LockFixture.ioError)
        try await fixture.guessWrong()
        guard case .unavailable(.notSaved)? = await statuses.next() else {
            Issue.record("something was published that was not saved")
            return
        }
        fixture.second.failing.heal()
        // The failed save has been given up, so the next try shows that saving works again.
        try await fixture.guessWrong()
        #expect(await statuses.next() == .ready)
    }

    @Test("R22: A try that only one copy has is not published yet")
    func halfway() async throws {
        let schedule = LockSchedule([.zero, .seconds(60)])
        let halfway = try await HalfwayLock(try await LockFixture.enrolled(schedule: schedule), schedule: schedule)
        let attempt = Task { await halfway.lock.unlock(with: try LockFixture.wrong) }
        await halfway.isHalfway()
        #expect(halfway.memories[0].tree["passcode.attemptCount"] == .integer(1))
        #expect(await halfway.lock.status() == .ready)
        halfway.goOn()
        #expect(try await attempt.value == .wrong(.delayed(remaining: .seconds(60), level: 1)))
    }

    @Test("R22: The status after a try is published before its result is returned")
    func publishedBeforeReturned() async throws {
        for _ in 0..<20 {
            let fixture = try await LockFixture.enrolled(schedule: LockSchedule([.zero, .seconds(60)]))
            var statuses = await fixture.lock.statuses().makeAsyncIterator()
            try await fixture.guessWrong()
            // Nothing is published from here on.
            await fixture.lock.finish()
            #expect(await statuses.next() == .delayed(remaining: .seconds(60), level: 1))
        }
    }

    @Test("R22: Changes by another process are published too")
    func fromOutside() async throws {
        let fixture = try await LockFixture.enrolled()
        var statuses = await fixture.lock.statuses().makeAsyncIterator()
        #expect(await statuses.next() == .ready)
        let other = try await fixture.afterCrash()
        try await other.guessWrong(5)
        fixture.first.memory.simulateExternalChange(other.first.memory.tree)
        fixture.second.memory.simulateExternalChange(other.second.memory.tree)
        #expect(await statuses.next() == .delayed(remaining: .seconds(60), level: 1))
    }

    @Test("Streams end when the store closes")
    func closing() async throws {
        let fixture = try await LockFixture.enrolled()
        let statuses = await fixture.lock.statuses()
        try await fixture.first.store.close()
        var last: LockStatus?
        for await status in statuses { last = status }
        #expect(last == .ready)
    }

    @Test("A lock that nobody holds any more is released during its wait, and its streams end")
    func released() async throws {
        func statuses() async throws -> AsyncStream<LockStatus> {
            let fixture = try await LockFixture.enrolled()
            try await fixture.guessWrong(5)
            return await fixture.lock.statuses()
        }
        var last: LockStatus?
        for await status in try await statuses() { last = status }
        #expect(last == .delayed(remaining: .seconds(60), level: 1))
    }

    @Test("A wait survives closing and reopening the file")
    func reopening() async throws {
        try await withTemporaryFolder { folder in
            let time = SimulatedTime()
            for count in 0..<3 {
                let first = try await SettingsStore.open(at: folder.appending(path: "settings.json"))
                let second = try await SettingsStore.open(at: folder.appending(path: "copy.json"))
                let lock = try await PasscodeLockout(in: first, and: second, time: time, verifier: TestVerifier())
                if count == 0 {
                    _ = try await lock.enrol(LockFixture.right)
                    for _ in 0..<5 { _ = await lock.unlock(with: try LockFixture.anotherWrong()) }
                }
                #expect(await lock.status() == .delayed(remaining: .seconds(60 - 20 * count), level: 1))
                try await first.close()
                try await second.close()
                time.advance(by: .seconds(20))
            }
        }
    }

    @Test("R20: Neither passcodes nor guesses appear in the files or in any change")
    func secrecy() async throws {
        try await withTemporaryFolder { folder in
            let store = try await SettingsStore.open(at: folder.appending(path: "settings.json"))
            let second = try await SettingsStore.open(at: folder.appending(path: "copy.json"))
            let changes = store.changes
            let verifier = ScryptVerifier(ScryptCost(rounds: 16))
            let lock = try await PasscodeLockout(in: store, and: second, time: SimulatedTime(), verifier: verifier)
            _ = try await lock.enrol(Passcode("secret"))
            _ = await lock.unlock(with: try Passcode("guess!"))
            _ = await lock.unlock(with: try Passcode("secret"))
            try await store.close()
            try await second.close()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.contains("settings.state.json") && names.contains(".settings.json.journal"))
            var texts = try names.map {
                String(decoding: try Data(contentsOf: folder.appending(path: $0)), as: UTF8.self)
            }
            for await change in changes { texts.append(change.mutations.map(\.description).joined()) }
            #expect(texts.count > 3)
            for text in texts {
                for secret in ["secret", "guess!"] {
                    #expect(!text.contains(secret))
                    #expect(!text.contains(Data(secret.utf8).base64EncodedString()))
                }
            }
        }
    }
}
