import Foundation
import PasscodeLock
import Testing

@Suite struct LockStateMachineTests {
    private let machine = LockStateMachine()

    private func moment(_ uptime: Duration, boot: String = "a", date: Date = .distantPast) -> Moment {
        Moment(bootID: boot, uptime: uptime, date: date)
    }

    private func record(_ attemptCount: Int, _ wait: LockWait? = nil) -> LockRecord {
        let verifier = StoredVerifier(algorithm: "test", cost: ScryptCost(rounds: 2), salt: Data(), key: Data())
        return LockRecord(generation: 1, verifier: verifier, attemptCount: attemptCount, wait: wait)
    }

    private func refusal(of record: LockRecord, at moment: Moment) -> LockStatus? {
        if case .refuse(let status) = machine.decide(record, at: moment) { status } else { nil }
    }

    private func delayed(since start: Duration, count: Int = 5, length: Duration = .seconds(60)) -> LockRecord {
        record(count, LockWait(length: length, start: start, bootID: "a"))
    }

    @Test("Each wait of the schedule must pass before the next guess, up to the last")
    func wholeSchedule() throws {
        var state = record(0)
        var uptime = Duration.seconds(10)
        for count in 1...20 {
            guard case .record(let next) = machine.decide(state, at: moment(uptime)) else {
                Issue.record("try \(count) was refused")
                return
            }
            state = next
            guard count < 20 else { break }
            let wait = machine.schedule.wait(after: count)
            if wait > .zero {
                let last = moment(uptime + wait - .nanoseconds(1))
                let level = machine.schedule.level(after: count)
                #expect(machine.status(of: state, at: last) == .delayed(remaining: .nanoseconds(1), level: level))
            }
            uptime += wait
            #expect(machine.status(of: state, at: moment(uptime)) == .ready)
        }
        #expect(machine.status(of: state, at: moment(uptime + .seconds(100 * 365 * 86_400))) == .exhausted)
        #expect(machine.status(of: state, at: moment(uptime, boot: "b")) == .exhausted)
        #expect(refusal(of: state, at: moment(uptime)) == .exhausted)
    }

    @Test("R14: A reboot restarts the full wait, however long the machine had waited or been up")
    func reboot() {
        let state = delayed(since: .seconds(1_000))
        let full = LockStatus.delayed(remaining: .seconds(60), level: 1)
        #expect(machine.status(of: state, at: moment(.zero, boot: "b")) == full)
        #expect(
            machine.status(of: state, at: moment(.seconds(59), boot: "b")) == .delayed(remaining: .seconds(1), level: 1)
        )
        #expect(machine.status(of: state, at: moment(.seconds(60), boot: "b")) == .ready)
    }

    @Test("R15: The wall clock changes nothing", arguments: [Date.distantPast, .now, .distantFuture])
    func wallClock(_ date: Date) {
        let status = machine.status(of: delayed(since: .seconds(10)), at: moment(.seconds(30), date: date))
        #expect(status == .delayed(remaining: .seconds(40), level: 1))
    }

    @Test(
        "R16: A wait that began in the future or before the boot is as long as possible",
        arguments: [31, -1_000_000])
    func impossibleStart(_ start: Int) {
        let status = machine.status(of: delayed(since: .seconds(start)), at: moment(.seconds(30)))
        #expect(status == .delayed(remaining: .seconds(60), level: 1))
    }

    @Test("R16: A stored wait counts only if it is longer than the schedule's")
    func otherLength() {
        let now = moment(.seconds(10))
        let short = delayed(since: .seconds(10), length: .seconds(1))
        #expect(machine.status(of: short, at: now) == .delayed(remaining: .seconds(60), level: 1))
        let long = delayed(since: .seconds(10), length: .seconds(90))
        #expect(machine.status(of: long, at: now) == .delayed(remaining: .seconds(90), level: 1))
    }

    @Test(
        "R16: An impossible number of tries means that none are left", arguments: [20, 99, 101, .max, -1, .min])
    func impossibleCount(_ count: Int) {
        #expect(machine.status(of: record(count), at: moment(.zero)) == .exhausted)
    }

    @Test("R3: A missing wait is damage if the number of tries requires one")
    func missingWait() {
        let state = record(5)
        guard case .unavailable(.damaged) = machine.status(of: state, at: moment(.zero)) else {
            Issue.record("a missing wait passed for no wait")
            return
        }
    }

    @Test("R5: A try during the wait is refused without anything to store")
    func throttled() {
        let status = refusal(of: delayed(since: .zero), at: moment(.seconds(59)))
        #expect(status == .delayed(remaining: .seconds(1), level: 1))
    }
}
