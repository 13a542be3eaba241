/// What a process that will be killed writes, step after step.
///
/// A step depends on the seed and its number only, so the parent knows what each of them left without being told.
public struct KillPlan: Sendable, Codable {
    public enum Step: Sendable {
        /// A plain write of one setting.
        case single
        /// A plain transaction that writes two settings, which are always equal therefore.
        case pair
        /// A commit that adds one to a counter and writes the two settings.
        case commit
    }

    public var seed: UInt64
    /// One step in so many is a commit.
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
