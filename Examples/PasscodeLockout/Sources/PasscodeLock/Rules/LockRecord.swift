/// What a lock remembers, as one copy of it says. The passcode itself is nowhere.
public struct LockRecord: Sendable {
    /// Rises by one with each write, so that of two copies the older one is known, and an old file that was put back.
    public var generation: Int
    public var verifier: StoredVerifier
    /// Tries since the last right one. A try counts from the moment before its comparison.
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
    /// After the right passcode, or a new one.
    func unlocked(replacing replacement: StoredVerifier?) -> LockRecord {
        LockRecord(generation: generation + 1, verifier: replacement ?? verifier)
    }

    /// What no lock ever writes, in words (R16).
    func impossibilities(at moment: Moment) -> [String] {
        var found: [String] = []
        if attemptCount < 0 { found.append("A number of tries below zero is stored.") }
        if attemptCount > LockSchedule.ceiling { found.append("More tries are stored than any schedule allows.") }
        if generation < 1 { found.append("A generation below one is stored.") }
        if let wait, !wait.isPossible(at: moment) { found.append("A wait is stored that has not begun yet.") }
        return found
    }
}
