extension LiveService {
    /// Where the revisions of one run begin: at a number that no other run has.
    ///
    /// Clients of the events come back with the last revision that they have seen, which may be one of another run. So each run
    /// has its own numbers, a million to begin with, chosen at random out of nine thousand million times as many. The last six
    /// digits count the run's changes. All are below 2^53, so that readers of JSON that know only floating point tell them apart.
    public static func newRunRevision() -> UInt64 {
        .random(in: 1..<9_000_000_000) * 1_000_000
    }
}
