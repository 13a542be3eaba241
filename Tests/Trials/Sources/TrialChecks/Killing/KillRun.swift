/// One life of a process that was killed.
public struct KillRun: Sendable {
    /// The state that it found when it started.
    public var base: KillState
    /// The number of its first step.
    public var firstStep: Int
    /// When each of its steps was acknowledged, in order.
    public var acknowledged: [UInt64]
    public var killedAt: UInt64

    public init(base: KillState, firstStep: Int, acknowledged: [UInt64], killedAt: UInt64) {
        self.base = base
        self.firstStep = firstStep
        self.acknowledged = acknowledged
        self.killedAt = killedAt
    }

    /// What the next process may find, and what it did find.
    public func verdict(_ plan: KillPlan, found: KillState) -> KillVerdict {
        var verdict = KillVerdict()
        verdict.isTorn = found.left != found.right
        var state = base
        var matching = state == found ? 0 : nil
        var commits: [Int] = []
        // One step may have been made that the process had no time to acknowledge.
        for index in 0...acknowledged.count {
            let step = plan.step(firstStep + index)
            state.perform(step, number: firstStep + index)
            if state == found { matching = index + 1 }
            if step == .commit, index < acknowledged.count { commits.append(index) }
        }
        guard let matching else {
            verdict.isNoState = true
            verdict.lostCommits = max(0, base.counter + commits.count - found.counter)
            return verdict
        }
        verdict.lostCommits = commits.count { $0 >= matching }
        if matching < acknowledged.count {
            verdict.lostWrites = acknowledged.count - matching
            let first = acknowledged[matching]
            verdict.lostTime = killedAt > first ? Int(killedAt - first) : 0
        }
        return verdict
    }
}
