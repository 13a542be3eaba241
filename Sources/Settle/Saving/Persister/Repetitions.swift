/// How often a commit has run because others were faster, and whether it may run again.
struct Repetitions {
    /// The minimum number of runs of a commit, and the minimum time for which it is repeated: where a few stores are
    /// busy, each of them gets its turn within these.
    static let (minimum, patience) = (17, Duration.seconds(10))

    /// How often it has run, or is about to.
    private(set) var attempts = 1
    /// The time when others were faster first.
    private var start: Duration?

    /// Records that others were faster.
    ///
    /// - Returns: Whether the commit may run again.
    mutating func mayRunAgain(now: Duration) -> Bool {
        let start = start ?? now
        self.start = start
        guard attempts < Self.minimum || now - start < Self.patience else { return false }
        attempts += 1
        return true
    }
}
