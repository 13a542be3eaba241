import Testing
import TrialChecks

@Suite struct KillRunTests {
    private let plan = KillPlan(seed: 4, stepsPerCommit: 4)

    private func run(from first: Int = 1, _ times: [UInt64], killedAt: UInt64, base: KillState = .init()) -> KillRun {
        KillRun(base: base, firstStep: first, acknowledged: times, killedAt: killedAt)
    }

    private func state(after steps: Int) -> KillState {
        var state = KillState()
        for number in stride(from: 1, through: steps, by: 1) { state.perform(plan.step(number), number: number) }
        return state
    }

    /// The number of the first commit.
    private var commit: Int {
        var number = 1
        while plan.step(number) != .commit { number += 1 }
        return number
    }

    @Test("Finding the newest state, or that of one more step, is no loss")
    func nothingLost() {
        let run = run([10, 20, 30, 40, 50], killedAt: 60)
        #expect(run.verdict(plan, found: state(after: 5)) == KillVerdict())
        #expect(run.verdict(plan, found: state(after: 6)) == KillVerdict())
    }

    @Test("Lost plain writes are counted, with the age of the oldest")
    func plainWrites() {
        var first = commit + 1
        var base = KillState()
        base.single = -1
        // Three steps without a commit, and one more that may follow.
        while (0..<4).contains(where: { plan.step(first + $0) == .commit }) { first += 1 }
        let run = run(from: first, [100, 200, 300], killedAt: 1_000, base: base)
        var found = base
        found.perform(plan.step(first), number: first)
        let verdict = run.verdict(plan, found: found)
        #expect(verdict.lostWrites == 2)
        #expect(verdict.lostTime == 800)
        #expect(verdict.lostCommits == 0)
        #expect(run.verdict(plan, found: base).lostTime == 900)
    }

    @Test("A missing acknowledged commit is a loss")
    func commits() {
        let times = (1...commit).map { UInt64($0) }
        let run = run(times, killedAt: 100)
        #expect(run.verdict(plan, found: state(after: commit)).lostCommits == 0)
        #expect(run.verdict(plan, found: state(after: commit - 1)).lostCommits == 1)
        #expect(run.verdict(plan, found: KillState()).lostCommits == 1)
    }

    @Test("An unacknowledged commit may be there or not")
    func cutCommit() {
        let times = (1..<commit).map { UInt64($0) }
        let run = run(times, killedAt: 100)
        #expect(run.verdict(plan, found: state(after: commit)) == KillVerdict())
        #expect(run.verdict(plan, found: state(after: commit - 1)) == KillVerdict())
    }

    @Test("Half of a transaction is torn and matches no state")
    func torn() {
        let run = run([10, 20, 30, 40, 50, 60], killedAt: 60)
        var found = state(after: 6)
        found.left += 1
        let verdict = run.verdict(plan, found: found)
        #expect(verdict.isTorn)
        #expect(verdict.isNoState)
    }

    @Test("An older value of one setting beside newer ones of others matches no state")
    func mixed() {
        var found = state(after: commit)
        found.counter -= 1
        let verdict = run((1...commit).map { UInt64($0) }, killedAt: 100).verdict(plan, found: found)
        #expect(verdict.isNoState)
        #expect(!verdict.isTorn)
        #expect(verdict.lostCommits == 1)
    }
}
