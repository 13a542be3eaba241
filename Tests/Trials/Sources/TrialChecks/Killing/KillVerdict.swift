/// What a kill has cost.
public struct KillVerdict: Sendable, Hashable {
    /// Two settings that are always written together differ.
    public var isTorn = false
    /// What was found is not what the process had after any of its steps.
    public var isNoState = false
    /// Commits that were acknowledged and are gone.
    public var lostCommits = 0
    /// Acknowledged steps that are gone.
    public var lostWrites = 0
    /// The age of the oldest lost step when the kill came, in nanoseconds.
    public var lostTime = 0

    public init() {}
}
