/// How often a commit has run because others were faster, and whether it may run again.
struct Repetitions {
    /// A commit runs at least so often, and is repeated at least for so long: where a few stores are busy, each of them
    /// gets its turn within that.
    static let (minimum, patience) = (17, Duration.seconds(10))

    /// How often it has run, or is about to.
    private(set) var attempts = 1
    /// When others were faster for the first time.
    private var start: Duration?

    /// Others were faster.
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
