/// A single run of a process that was killed.
public struct KillRun: Sendable {
    /// The state that the process found at its start.
    public var base: KillState
    /// The number of the first step.
    public var firstStep: Int
    /// When each step was acknowledged, in order.
    public var acknowledged: [UInt64]
    public var killedAt: UInt64

    public init(base: KillState, firstStep: Int, acknowledged: [UInt64], killedAt: UInt64) {
        self.base = base
        self.firstStep = firstStep
        self.acknowledged = acknowledged
        self.killedAt = killedAt
    }

    /// Compares what the next process found with what it may find.
    public func verdict(_ plan: KillPlan, found: KillState) -> KillVerdict {
        var verdict = KillVerdict()
        verdict.isTorn = found.left != found.right
        var state = base
        var matching = state == found ? 0 : nil
        var commits: [Int] = []
        // One step may have been made without time to acknowledge it.
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
