extension LiveService {
    /// The start of a run's revisions: a number that no other run has.
    ///
    /// Clients of the events resume from the last revision that they have seen, which may belong to another run. So
    /// each run has its own range of a million numbers, chosen at random from nine thousand million ranges; the last
    /// six digits count the run's changes. All numbers are below 2^53, so JSON readers that only know floating point
    /// can tell them apart.
    public static func newRunRevision() -> UInt64 {
        .random(in: 1..<9_000_000_000) * 1_000_000
    }
}
