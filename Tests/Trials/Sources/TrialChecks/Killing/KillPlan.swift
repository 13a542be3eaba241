/// The steps that a process writes until it is killed.
///
/// A step depends only on the seed and its number, so the parent can compute the state after each step.
public struct KillPlan: Sendable, Codable {
    public enum Step: Sendable {
        /// A plain write of one setting.
        case single
        /// A plain transaction that writes two settings, which are therefore always equal.
        case pair
        /// A commit that adds one to a counter and writes the two settings.
        case commit
    }

    public var seed: UInt64
    /// One in this many steps is a commit.
    public var stepsPerCommit: Int

    public init(seed: UInt64, stepsPerCommit: Int) {
        self.seed = seed
        self.stepsPerCommit = stepsPerCommit
    }

    public func step(_ number: Int) -> Step {
        let random = SeededGenerator.number(seed: seed, at: number)
        if random.isMultiple(of: UInt64(max(stepsPerCommit, 1))) { return .commit }
        return (random >> 32).isMultiple(of: 4) ? .pair : .single
    }
}
