#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A lock's state, as one copy has it. The passcode itself is stored nowhere.
public struct LockRecord: Sendable {
    /// Rises by one with each try and each success, and with nothing else: so it never rises without the count, except
    /// by the right passcode. A ``RollbackWitness`` receives it.
    public var generation: Int
    public var verifier: StoredVerifier
    /// Tries since the last right one. A try counts from just before its comparison.
    public var attemptCount: Int
    /// The wait that the last try began; `nil` if there is none.
    public var wait: LockWait?
    /// When the wait ends unless the clock is set or the machine reboots. Only for display.
    public var nextCheckDate: Date?
    /// The lock's name: random, and chosen with its first passcode.
    public var lock: String
    /// The record's own name, random.
    public var id: String
    /// The name of the record that this one replaces. It shows whether two copies come from one crash.
    public var parent: String?

    public init(
        generation: Int, verifier: StoredVerifier, attemptCount: Int = 0, wait: LockWait? = nil,
        nextCheckDate: Date? = nil, lock: String = newID(), id: String = newID(), parent: String? = nil
    ) {
        self.generation = generation
        self.verifier = verifier
        self.attemptCount = attemptCount
        self.wait = wait
        self.nextCheckDate = nextCheckDate
        self.lock = lock
        self.id = id
        self.parent = parent
    }

    /// A random name that no other lock or record has.
    public static func newID() -> String { UUID().uuidString }
}

extension LockRecord {
    /// No lock gets this far. A greater number was forged, perhaps to make the next one overflow.
    static let greatestGeneration = Int.max / 2

    /// The same state under a new name, to be changed and then written in this one's place.
    var successor: LockRecord {
        var next = self
        next.generation += 1
        (next.id, next.parent) = (Self.newID(), id)
        return next
    }

    /// After the right passcode, or a new one.
    func unlocked(replacing replacement: StoredVerifier?) -> LockRecord {
        var next = successor
        next.verifier = replacement ?? verifier
        (next.attemptCount, next.wait, next.nextCheckDate) = (0, nil, nil)
        return next
    }

    /// Whether this record was written to replace another one.
    func isSuccessor(of other: LockRecord) -> Bool {
        lock == other.lock && parent == other.id && generation == other.generation + 1
    }

    /// What a write says that reached one copy only, where `earlier` still stands in the other: a try counts, and a
    /// success does not count yet. A new passcode is in force, because the earlier one must not come back.
    func stricter(than earlier: LockRecord) -> LockRecord {
        if attemptCount < 0 || (earlier.attemptCount >= 0 && attemptCount >= earlier.attemptCount) { return self }
        var merged = earlier.successor
        merged.verifier = verifier
        return merged
    }

    /// Values that no lock ever writes, in words (R16).
    ///
    /// - Parameter limit: The number of wrong guesses after which no more are accepted.
    func impossibilities(at moment: Moment, limit: Int) -> [String] {
        var found: [String] = []
        if attemptCount < 0 { found.append("A negative number of tries is stored.") }
        if attemptCount > limit {
            found.append("More tries are stored than are possible: \(attemptCount) of \(limit).")
        }
        if let wait, !wait.isPossible(at: moment) { found.append("The stored wait has not begun yet.") }
        return found
    }
}
