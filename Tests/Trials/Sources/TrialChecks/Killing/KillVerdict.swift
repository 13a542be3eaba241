/// What a kill cost.
public struct KillVerdict: Sendable, Hashable {
    /// Two settings that are always written together differ.
    public var isTorn = false
    /// The state found is not the state after any step.
    public var isNoState = false
    /// Acknowledged commits that are gone.
    public var lostCommits = 0
    /// Acknowledged steps that are gone.
    public var lostWrites = 0
    /// The age of the oldest lost step at the kill, in nanoseconds.
    public var lostTime = 0

    public init() {}
}
