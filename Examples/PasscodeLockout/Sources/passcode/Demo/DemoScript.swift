import Foundation
import PasscodeLock
import Settle

/// A session that shows what the lock does and why. Only the time is simulated: the stores are real files.
struct DemoScript {
    let stage: DemoStage

    init(say: @escaping (String) -> Void) {
        stage = DemoStage(say: say)
    }

    /// - Throws: ``DemoError`` if the lock does not do what the text says.
    func run() async throws {
        try await stage.open()
        defer { stage.clearAway() }
        stage.say("A machine whose time is simulated, and two stores in real files.")
        try await enrol()
        try await guess()
        try await waitsAreKept()
        try await restart()
        try await setTheClock()
        try await reboot()
        try await edit()
        try await beStricter()
        try await letTimePass()
        stage.say("\nThat was the whole story. Its files have been removed.")
    }

    private func enrol() async throws {
        stage.chapter("A passcode is chosen")
        try await stage.expect(.unavailable(.notEnrolled), "There is none yet.")
        let result = try await stage.lock.enrol(Passcode("2580"))
        try stage.expect(result, .accepted, "enrol 2580")
        stage.tell("The state file gets a salted scrypt key. The passcode itself is not stored.")
    }

    private func guess() async throws {
        stage.chapter("Someone guesses")
        for (number, guess) in ["0000", "1111", "1234", "1212"].enumerated() {
            try await stage.unlock(guess, .wrong(.ready))
            if number == 0 { stage.tell("Each guess was on the disk, counted, before it was compared (R1, R2).") }
        }
        try await stage.unlock("7777", .wrong(.delayed(remaining: .seconds(60), level: 1)))
        stage.tell("Four are free; the fifth begins the first wait of the schedule.")
    }

    private func waitsAreKept() async throws {
        stage.chapter("More tries during the wait")
        stage.pass(.seconds(20))
        try await stage.unlock("2580", .refused(.delayed(remaining: .seconds(40), level: 1)))
        stage.tell("Even the right one: it is not compared, not counted, and the wait does not grow (R5).")
        try await stage.showState()
        stage.tell("It names the boot and its uptime, which can't be set. “nextCheck” is only for people (R12, R13).")
    }

    private func restart() async throws {
        stage.chapter("The program is ended and started again")
        try await stage.reopen()
        try await stage.expect(
            .delayed(remaining: .seconds(40), level: 1), "The new process finds what the old one left.")
    }

    private func setTheClock() async throws {
        stage.chapter("Someone sets the clock")
        stage.time.setWallClock(forwardBy: .seconds(365 * 86_400))
        stage.note("it shows a year later")
        try await stage.expect(.delayed(remaining: .seconds(40), level: 1), "The wait is not a second shorter (R12).")
        stage.time.setWallClock(forwardBy: .seconds(-10 * 365 * 86_400))
        stage.note("it shows nine years earlier")
        try await stage.expect(.delayed(remaining: .seconds(40), level: 1), "And not a second longer (R15).")
    }

    private func reboot() async throws {
        stage.chapter("The machine is switched off and on")
        try await stage.close()
        stage.time.reboot()
        stage.note("it runs again, with another boot id")
        try await stage.open()
        try await stage.expect(
            .delayed(remaining: .seconds(60), level: 1),
            "Nothing shows how long it was off, so the full wait starts again, without another failure (R14).")
    }

    private func edit() async throws {
        stage.chapter("Someone edits the state file")
        try await stage.close()
        try stage.editState { $0.replacing("\"attemptCount\": 5", with: "\"attemptCount\": 0") }
        stage.note("one of the two files now says: no tries")
        try await stage.open()
        try await stage.expect(
            .delayed(remaining: .seconds(60), level: 1),
            "Its checksum does not match, so the other file is used, and repairs it (R18).")
        try await stage.showAudit(last: 1)
    }

    private func beStricter() async throws {
        stage.chapter("Its owner edits the settings file")
        var statuses = try await stage.lock.statuses().makeAsyncIterator()
        _ = await statuses.next()
        try stage.writePolicy("{\"policy\": {\"attemptLimit\": 5}}  // enough for me")
        try stage.expect(await statuses.next(), .exhausted, "watch")
        stage.tell(
            "The policy is configuration: anyone who may write the file may edit it. So it only makes the lock")
        stage.tell("stricter: five tries are counted, and a sixth is no longer allowed.")
        try await stage.close()
        try stage.writePolicy("{\"policy\": {\"attemptLimit\": 100}}")
        try await stage.open()
        try await stage.expect(
            .exhausted, "No policy allows more guesses than the schedule: the last good value stays.")
        statuses = try await stage.lock.statuses().makeAsyncIterator()
        _ = await statuses.next()
        try stage.writePolicy("{\"policy\": {\"attemptLimit\": 20}}")
        try stage.expect(await statuses.next(), .delayed(remaining: .seconds(60), level: 1), "watch")
        stage.tell("With the schedule's own limit the wait is in force again.")
    }

    private func letTimePass() async throws {
        stage.chapter("Time passes")
        var statuses = try await stage.lock.statuses().makeAsyncIterator()
        _ = await statuses.next()
        stage.pass(.seconds(60))
        try stage.expect(await statuses.next(), .ready, "watch")
        stage.tell("Followers of the lock are notified when the wait is over (R22).")
        try await stage.unlock("4321", .wrong(.delayed(remaining: .seconds(300), level: 2)))
        stage.tell("The sixth wrong guess costs five minutes. Waits grow to nine years; the twentieth is the last.")
        stage.pass(.seconds(300))
        try await stage.unlock("2580", .accepted)
        stage.tell("That resets the count and the wait in one write (R10).")
        try await stage.unlock("0000", .wrong(.ready))
        try await stage.close()
    }
}
