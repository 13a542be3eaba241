/// A lock's state, as one copy has it. The passcode itself is stored nowhere.
public struct LockRecord: Sendable {
    /// Rises by one with each write, which identifies the older of two copies, and an old file that was put back.
    public var generation: Int
    public var verifier: StoredVerifier
    /// Tries since the last right one. A try counts from just before its comparison.
    public var attemptCount: Int
    /// The wait that the last try began; `nil` if there is none.
    public var wait: LockWait?

    public init(generation: Int, verifier: StoredVerifier, attemptCount: Int = 0, wait: LockWait? = nil) {
        self.generation = generation
        self.verifier = verifier
        self.attemptCount = attemptCount
        self.wait = wait
    }
}

extension LockRecord {
    /// No lock gets this far. A greater number was forged, perhaps to make the next one overflow.
    static let greatestGeneration = Int.max / 2

    /// After the right passcode, or a new one.
    func unlocked(replacing replacement: StoredVerifier?) -> LockRecord {
        LockRecord(generation: generation + 1, verifier: replacement ?? verifier)
    }

    /// Values that no lock ever writes, in words (R16).
    ///
    /// - Parameter limit: The number of wrong guesses after which no more are accepted.
    func impossibilities(at moment: Moment, limit: Int) -> [String] {
        var found: [String] = []
        if attemptCount < 0 { found.append("A number of tries below zero is stored.") }
        if attemptCount > limit {
            found.append("More tries are stored than there can be: \(attemptCount) of \(limit).")
        }
        if let wait, !wait.isPossible(at: moment) { found.append("A wait is stored that has not begun yet.") }
        return found
    }
}
